"""A keypad whatever its keys, its reports and the line do: a press is told of a key that went down, and of no
other."""

from collections.abc import Iterator

import hypothesis.strategies as st
from hypothesis import given

from protocol.hid_keys import encode_keys
from protocol.hid_reports import LAYOUTS
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import AnyObservation, KeyPressed

MS = 1_000_000
NAMES = {0x3A: "shuffle", 0x3B: "cut", 0x59: "push", 0x85: "exposed"}
KEYS = (*NAMES, 0x04, 0xDF)  # two without a meaning
ROLLOVER = None
STEP_MS = 60  # longer than a bounce

downs = st.lists(st.sampled_from(KEYS), unique=True, max_size=6).map(tuple)
reports = st.lists(st.one_of(downs, st.just(ROLLOVER)), max_size=30)
layouts = st.sampled_from(["boot", "boot with id"])


def made(layout: str) -> DeviceLink:
    config = LinkConfig("pad-1", "hid_keyboard", keys=NAMES, layout=layout)
    link = DeviceLink(config, Presence(), lambda tag: True)
    link.opened(0, 1)
    link.tick(0)
    return link


def report_of(keys: tuple[int, ...] | None, layout: str, modifiers: int) -> bytes:
    return encode_keys(tuple(range(4, 11)) if keys is None else keys, layout, modifiers=modifiers)


def presses(observations: list[AnyObservation]) -> list[tuple[str, int]]:
    return [(one.key, one.at_mono_ns) for one in observations if isinstance(one, KeyPressed)]


def went_down(said: list[tuple[int, tuple[int, ...] | None]]) -> Iterator[tuple[str, int]]:
    """What the reports alone say, by their times."""
    before: tuple[int, ...] = ()
    for at_ms, keys in said:
        if keys is not None:
            yield from ((NAMES[key], at_ms * MS) for key in keys if key in NAMES and key not in before)
            before = keys


@given(reports, layouts, st.data())
def test_each_key_that_went_down_is_one_press_whatever_is_lost_held_or_repeated(
    said: list[tuple[int, ...] | None], layout: str, data: st.DataObject
) -> None:
    is_lost = data.draw(st.lists(st.booleans(), min_size=len(said), max_size=len(said)))
    repeats = data.draw(st.lists(st.integers(1, 3), min_size=len(said), max_size=len(said)))
    modifiers = data.draw(st.integers(0, 255))
    link, seen, heard = made(layout), list[AnyObservation](), []
    at_ms = 1_000
    for keys, lost, times in zip(said, is_lost, repeats, strict=True):
        for _ in range(times):
            at_ms += STEP_MS
            if not lost:
                heard.append((at_ms, keys))
                seen += link.take(report_of(keys, layout, modifiers), at_ms * MS)
            seen += link.tick(at_ms * MS)
    assert presses(seen) == list(went_down(heard))
    assert link.refusal is None


@given(reports, st.sampled_from(sorted(LAYOUTS)), st.lists(st.integers(1, 9), min_size=1))
def test_the_same_bytes_are_the_same_presses_however_they_are_cut(
    said: list[tuple[int, ...] | None], layout: str, cuts: list[int]
) -> None:
    stream = b"".join(report_of(keys, layout, 0) for keys in said)
    whole, pieces = made(layout), made(layout)
    wanted = presses(whole.take(stream, 1_000 * MS))
    got: list[AnyObservation] = []
    at, number = 0, 0
    while at < len(stream):
        size = cuts[number % len(cuts)]
        got += pieces.take(stream[at : at + size], 1_000 * MS)
        at, number = at + size, number + 1
    assert presses(got) == wanted
    assert whole.counters == pieces.counters


@given(st.binary(max_size=200), st.lists(st.integers(1, 9), min_size=1))
def test_no_bytes_raise_and_after_quiet_a_press_is_heard(noise: bytes, cuts: list[int]) -> None:
    link = made("boot")
    at, number, at_ms = 0, 0, 1_000
    while at < len(noise):
        size = cuts[number % len(cuts)]
        link.take(noise[at : at + size], at_ms * MS)
        at, number, at_ms = at + size, number + 1, at_ms + 7
    at_ms += 1_000
    link.tick(at_ms * MS)
    link.take(encode_keys(()), (at_ms + 10) * MS)
    at_ms += 100
    assert presses(link.take(encode_keys((0x3A,)), at_ms * MS)) == [("shuffle", at_ms * MS)]
