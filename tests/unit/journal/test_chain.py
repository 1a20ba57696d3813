"""What a seal covers: any change of what it hashes changes it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_bridge.journal.chain import (
    PACK_ROWS,
    RawHash,
    audit_hash,
    chain_hash,
    head_hash,
    pack_inputs,
    unpack_inputs,
)
from shoe_bridge.journal.rows import QueuedInput, Seal, VolumeHead

SEAL = Seal(3, "boot", 5, 10, 20, 2, 1, b"r" * 32, b"a" * 32, b"")
HEAD = VolumeHead("t", "journal-2026-07-01.sqlite", 1, "", b"", "", 0, 0, 0, 0, 0)

words = st.text(max_size=8)
numbers = st.integers(0, 2**63 - 1)
inputs = st.lists(st.tuples(numbers, words, words, numbers, numbers, st.binary(max_size=20)), max_size=30)


@given(inputs)
def test_packing_loses_nothing(rows: list[QueuedInput]) -> None:
    packs = list(pack_inputs(rows))
    assert [row for _, _, packed in packs for row in unpack_inputs(packed)] == rows


def test_a_pack_has_a_longest() -> None:
    rows = [(n, "chunk", "r", n, n, b"") for n in range(1, PACK_ROWS + 2)]
    assert [(first, last) for first, last, _ in pack_inputs(rows)] == [
        (1, PACK_ROWS),
        (PACK_ROWS + 1, PACK_ROWS + 1),
    ]


def test_what_is_no_pack_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        unpack_inputs(b"\xc1")


@pytest.mark.parametrize("field", [name for name in Seal.__struct_fields__ if name != "chain_hash"])
def test_each_field_of_a_seal_counts(field: str) -> None:
    value = getattr(SEAL, field)
    changed = value + 1 if isinstance(value, int) else value[:-1]
    assert chain_hash(b"", msgspec.structs.replace(SEAL, **{field: changed})) != chain_hash(b"", SEAL)


def test_the_chain_before_counts_and_the_own_hash_does_not() -> None:
    assert chain_hash(b"x", SEAL) != chain_hash(b"", SEAL)
    assert chain_hash(b"", msgspec.structs.replace(SEAL, chain_hash=b"z")) == chain_hash(b"", SEAL)


@pytest.mark.parametrize("field", VolumeHead.__struct_fields__)
def test_each_field_of_a_head_counts(field: str) -> None:
    value = getattr(HEAD, field)
    changed = value + 1 if isinstance(value, int) else value + (b"x" if isinstance(value, bytes) else "x")
    assert head_hash(msgspec.structs.replace(HEAD, **{field: changed})) != head_hash(HEAD)


def test_bytes_cannot_move_between_rows_unseen() -> None:
    one, other = RawHash(), RawHash()
    one.take_pack(1, 2, b"ab")
    one.take_pack(3, 4, b"c")
    other.take_pack(1, 2, b"a")
    other.take_pack(3, 4, b"bc")
    assert one.digest() != other.digest()
    assert audit_hash([(1, "k", 1, 1, 1, b"ab")], []) != audit_hash([], [(1, "k", 1, b"ab")])
    assert audit_hash([(1, "ka", 1, 1, 1, b"b")], []) != audit_hash([(1, "k", 1, 1, 1, b"ab")], [])


def test_a_snapshot_counts() -> None:
    with_one = RawHash()
    with_one.take_snapshot(1, b"s")
    assert with_one.digest() != RawHash().digest()
