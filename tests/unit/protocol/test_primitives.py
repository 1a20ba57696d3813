import random
from typing import Any

import construct as cs
import pytest

from protocol import pepper_layout, pn532_layout, r2000_layout, tablelink_layout, yrm100_layout
from protocol.messages import Reason
from protocol.primitives import (
    ClosedEnum,
    Lowered,
    TagUid,
    bounded,
    closed,
    device_clock,
    exact_struct,
    flag,
    lower,
)
from protocol.vectors import vectors_of

ALL_BODIES = {
    **{f"tablelink {name}": body for name, body in tablelink_layout.BODIES.items()},
    **{f"pepper host {name}": body for name, body in pepper_layout.HOST_BODIES.items()},
    **{f"pepper reader {name}": body for name, body in pepper_layout.READER_BODIES.items()},
    **{f"pn532 host {name}": body for name, body in pn532_layout.HOST_BODIES.items()},
    **{f"pn532 chip {name}": body for name, body in pn532_layout.CHIP_BODIES.items()},
    **{f"pn532 target {size}": body for size, body in pn532_layout.TARGET_BODIES.items()},
    **{f"yrm100 host {name}": body for name, body in yrm100_layout.HOST_BODIES.items()},
    **{f"yrm100 reader {name}": body for name, body in yrm100_layout.READER_BODIES.items()},
    **{f"r2000 host {name}": body for name, body in r2000_layout.HOST_BODIES.items()},
    **{f"r2000 reader {name}": body for name, body in r2000_layout.READER_BODIES.items()},
}
FACE = exact_struct("face" / closed(cs.Int8ub, {0: "down", 1: "up", 255: None}))


def by_construct(definition: Any, body: bytes) -> list[Any] | None:
    """The reference: construct itself, with its failures as None."""
    try:
        container = definition.parse(body)
    except cs.ConstructError:
        return None
    return [value for name, value in container.items() if name != "_io"]


def test_a_closed_enum_fails_on_what_it_does_not_know_both_ways() -> None:
    assert by_construct(FACE, b"\x01") == ["up"]
    assert by_construct(FACE, b"\xff") == [None]
    assert by_construct(FACE, b"\x02") is None
    with pytest.raises(cs.MappingError):
        FACE.build({"face": "sideways"})


def test_a_closed_enum_refuses_two_values_of_one_meaning() -> None:
    with pytest.raises(ValueError, match="same meaning"):
        closed(cs.Int8ub, {0: "down", 1: "down"})


def test_an_exact_struct_ends_where_its_body_ends() -> None:
    key = exact_struct("key" / cs.Int8ub)
    assert by_construct(key, b"\x05") == [5]
    assert by_construct(key, b"\x05\x00") is None
    assert by_construct(key, b"") is None


@pytest.mark.parametrize(("wire", "fits"), [(0, False), (1, True), (32, True), (33, False), (255, False)])
def test_bounds_are_held_at_each_edge(wire: int, fits: bool) -> None:
    antenna = lower(exact_struct("antenna" / bounded(cs.Int8ub, 1, 32)))
    assert antenna.parse(bytes([wire])) == ([wire] if fits else Reason.IMPLAUSIBLE)


def test_a_flag_is_0_or_1() -> None:
    expired = lower(exact_struct("expired" / flag()))
    assert [expired.parse(bytes([wire])) for wire in (0, 1)] == [[0], [1]]
    assert expired.parse(b"\x02") is Reason.IMPLAUSIBLE


def test_a_tag_is_upper_case_hex_most_significant_first() -> None:
    body = exact_struct("uid" / TagUid(4))
    assert by_construct(body, bytes.fromhex("94d064eb")) == ["94D064EB"]
    assert body.build({"uid": "94D064EB"}) == lower(body).build("94D064EB") == bytes.fromhex("94D064EB")


@pytest.mark.parametrize("tag", ["94D064", "94D064EB00", "xyz", None, 7])
def test_a_tag_that_does_not_fit_its_field_is_refused(tag: Any) -> None:
    with pytest.raises(ValueError, match=r"tag of 4 bytes|hexadecimal"):
        lower(exact_struct("uid" / TagUid(4))).build(tag)


def test_the_device_clock_is_32_bits_little_endian() -> None:
    assert lower(exact_struct("clock" / device_clock())).parse(bytes.fromhex("E8030000")) == [1000]


def test_a_lowered_struct_names_what_is_wrong_with_a_length() -> None:
    body = lower(exact_struct("code" / cs.Int16ul, "cleared" / flag()))
    assert body.parse(b"\x01\x02") is Reason.TOO_SHORT
    assert body.parse(b"\x01\x02\x00\x00") is Reason.TRAILING
    assert body.parse(b"") is Reason.TOO_SHORT


@pytest.mark.parametrize(
    ("definition", "complaint"),
    [
        (cs.Struct("key" / cs.Int8ub), "exact"),
        (exact_struct("text" / cs.CString("ascii")), "fixed form"),
        (exact_struct("a" / cs.Int16ul, "b" / cs.Int16ub), "byte order"),
    ],
)
def test_what_cannot_be_lowered_is_refused_when_the_module_loads(definition: Any, complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        lower(definition)


def test_values_that_do_not_fit_are_refused() -> None:
    body = lower(exact_struct("lamp" / bounded(cs.Int8ub, 1, 16), "red" / cs.Int8ub))
    for values in ((0, 1), (17, 1), (1, 256), (1, -1), (1, "red"), (1,)):
        with pytest.raises(ValueError, match=r"lamp|field"):
            body.build(*values)


def random_body(definition: Any, rng: random.Random) -> bytes:
    """Random bytes in which most closed fields hold one of their own values."""
    parts = []
    for field in definition.subcons[:-1]:
        inner = field.subcon
        if isinstance(inner, ClosedEnum) and rng.random() < 0.9:
            parts.append(inner.subcon.build(rng.choice(list(inner.meanings))))
        else:
            parts.append(rng.randbytes(inner.sizeof()))
    return b"".join(parts)


@pytest.mark.parametrize("name", ALL_BODIES)
def test_lowered_equals_construct_on_random_bodies(name: str) -> None:
    definition = ALL_BODIES[name]
    lowered: Lowered = lower(definition)
    rng = random.Random(name)
    parsed = 0
    for _ in range(200):
        body = random_body(definition, rng)
        body = rng.choice((body, body, body, body[:-1], body + b"\0"))
        fast, reference = lowered.parse(body), by_construct(definition, body)
        assert (fast if isinstance(fast, list) else None) == reference
        if reference is not None:
            parsed += 1
            assert lowered.build(*reference) == body
            assert definition.build(dict(zip(lowered.names, reference, strict=True))) == body
    assert parsed > 20


@pytest.mark.parametrize("name", tablelink_layout.BODIES)
def test_lowered_equals_construct_on_every_vector(name: str) -> None:
    definition, lowered = tablelink_layout.BODIES[name], tablelink_layout.LOWERED[name]
    for vector in vectors_of("tablelink"):
        body = vector.stream[2:-2]
        row = lowered.parse(body)
        assert (row if isinstance(row, list) else None) == by_construct(definition, body)


@pytest.mark.parametrize(
    "name",
    [f"host {name}" for name in pepper_layout.HOST] + [f"reader {name}" for name in pepper_layout.READER],
)
def test_lowered_equals_construct_on_every_pepper_vector(name: str) -> None:
    definition = ALL_BODIES[f"pepper {name}"]
    for vector in vectors_of("pepper_c1"):
        row = lower(definition).parse(vector.stream[5:-2])
        assert (row if isinstance(row, list) else None) == by_construct(definition, vector.stream[5:-2])
