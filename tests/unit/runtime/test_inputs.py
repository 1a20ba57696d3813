"""Inputs as rows of the journal: what is written is what is read back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoe_bridge.runtime.inputs import from_row, to_row
from shoe_bridge.runtime.ports import Chunk, Input, LinkClosed, LinkOpened, Tick

TIMES, NAMES = st.integers(0, 2**62), st.text(min_size=1, max_size=32)
INPUTS = st.one_of(
    st.builds(Chunk, NAMES, TIMES, st.binary(max_size=300)),
    st.builds(Tick, NAMES, TIMES),
    st.builds(LinkOpened, NAMES, TIMES, st.integers(1, 10**9)),
    st.builds(LinkClosed, NAMES, TIMES, st.integers(1, 10**9), st.text(max_size=80)),
)


@settings(deadline=None, derandomize=True)
@given(INPUTS)
def test_every_input_comes_back_as_it_was(one: Input) -> None:
    assert from_row(*to_row(one)) == one


def test_a_chunk_is_kept_as_its_bytes() -> None:
    assert to_row(Chunk("reader-1", 5, b"\x7e\x00")) == ("chunk", "reader-1", 5, b"\x7e\x00")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("bang", b""),
        ("", b""),
        ("opened", b""),
        ("opened", b"two"),
        ("closed", b"{}"),
        ("closed", b"not json"),
    ],
)
def test_what_no_bridge_writes_is_an_error(kind: str, data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (msgspec's own error is one, and its text is not ours)
        from_row(kind, "reader-1", 1, data)
