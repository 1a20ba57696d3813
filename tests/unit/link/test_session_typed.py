"""The link to a keyboard-wedge reader: typed lines in, arrivals out."""

import pytest

from protocol.hid_keyboard import encode_tag, encode_text
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    EventsMissed,
    LinkLost,
    LinkRestored,
)

MS = 1_000_000
A, B = "040E3BD2", "0406B902"


def opened(**options: object) -> DeviceLink:
    config = LinkConfig("wedge-1", "hid_keyboard", antennas={1: "muck"}, **options)  # type: ignore[arg-type]
    link = DeviceLink(config, Presence(), lambda tag: False)
    assert link.opened(0, 1) == []
    assert link.next_deadline_ns() == 0
    assert [type(one) for one in link.tick(0)] == [LinkRestored]
    assert link.is_verified
    assert link.next_deadline_ns() is None
    return link


def test_a_typed_tag_arrives_at_the_readers_place() -> None:
    link = opened(typed="decimal")
    assert link.take(encode_tag(A, "decimal"), 900 * MS) == [
        CardArrived("muck", A, 500 * MS, 900 * MS, "wedge-1")
    ]
    assert link.counters["frames"] == 1
    assert link.sends() == []
    assert link.next_deadline_ns() is None


def test_a_report_at_a_time_is_the_same() -> None:
    link = opened(typed="decimal reversed")
    reports = encode_tag(A, "decimal reversed")
    out: list[AnyObservation] = []
    for start in range(0, len(reports), 8):
        out += link.take(reports[start : start + 8], (100 + start) * MS)
    assert [one.tag for one in out if isinstance(one, CardArrived)] == [A]


def test_the_same_card_again_was_lifted_and_laid_down_anew_and_others_stay() -> None:
    link = opened(typed="hex")
    link.take(encode_tag(A, "hex"), 1_000 * MS)
    link.take(encode_tag(B, "hex"), 2_000 * MS)
    out = link.take(encode_tag(A, "hex"), 3_000 * MS)
    assert [(type(one), one.tag) for one in out] == [(CardDeparted, A), (CardArrived, A)]  # type: ignore[union-attr]


def test_without_a_rule_the_text_stands_for_the_tag() -> None:
    link = opened()
    (arrived,) = link.take(encode_text("0004981422"), 1_000 * MS)
    assert isinstance(arrived, CardArrived)
    assert arrived.tag == b"0004981422".hex().upper()


def test_a_text_that_does_not_fit_the_rule_is_an_event_missed() -> None:
    link = opened(typed="decimal")
    assert link.take(encode_text("12ab"), 1_000 * MS) == []
    assert link.next_deadline_ns() is not None
    assert link.tick(1_001 * MS) == [EventsMissed("wedge-1", ("muck",), 1, 1_001 * MS)]
    assert link.tick(1_002 * MS) == []
    assert link.counters["unfit_lines"] == 1


def test_a_reader_without_enter_is_heard_after_the_quiet() -> None:
    link = opened(typed="decimal")
    assert link.take(encode_tag(A, "decimal", has_enter=False), 1_000 * MS) == []
    assert link.next_deadline_ns() == 1_300 * MS
    assert [type(one) for one in link.tick(1_300 * MS)] == [CardArrived]


def test_another_layout_than_the_configured_one_is_junk() -> None:
    link = opened(typed="hex", layout="boot with id")
    assert link.take(encode_tag(A, "hex", "boot"), 1_000 * MS) == []
    (arrived,) = link.take(encode_tag(B, "hex", "boot with id"), 2_000 * MS)
    assert link.counters["junk_implausible"] > 0
    assert isinstance(arrived, CardArrived)


def test_the_end_of_the_link_is_told_once_and_it_comes_back() -> None:
    link = opened()
    assert link.closed(1_000 * MS, "unplugged") == [LinkLost("wedge-1", ("muck",), "unplugged", 1_000 * MS)]
    assert link.closed(1_001 * MS, "unplugged") == []
    assert link.tick(1_002 * MS) == []
    assert link.take(encode_text("1234567"), 1_003 * MS) == []
    link.opened(2_000 * MS, 2)
    out = link.take(encode_text("0004981422"), 2_001 * MS)
    assert [type(one) for one in out] == [LinkRestored, CardArrived]


@pytest.mark.parametrize("cut", [0, 1, 8, 40, 100, 170])
def test_a_snapshot_goes_on_like_the_original(cut: int) -> None:
    reports = encode_tag(A, "decimal") + encode_text("12")
    whole, first, second = opened(typed="decimal"), opened(typed="decimal"), opened(typed="decimal")
    first.take(reports[:cut], 1_000 * MS)
    whole.take(reports[:cut], 1_000 * MS)
    second.restore(first.snapshot())
    assert second.next_deadline_ns() == first.next_deadline_ns() == whole.next_deadline_ns()
    second.take(reports[cut:], 1_100 * MS)
    whole.take(reports[cut:], 1_100 * MS)
    assert second.tick(1_200 * MS) == whole.tick(1_200 * MS)
    assert second.counters == whole.counters


@pytest.mark.parametrize(
    ("layout", "words"), [("boot", "are not of the layout `boot`"), (None, "that no `layout` describes")]
)
def test_a_transfer_that_is_no_report_types_nothing_and_is_refused(layout: str | None, words: str) -> None:
    line = encode_tag(A, "hex")
    half = len(line) // 16 * 8
    link = opened(typed="hex", layout=layout, is_by_report=True)
    for at in range(0, half, 8):
        link.take(line[at : at + 8], 1_000 * MS)
    assert link.refusal is None
    assert link.take(line[:32], 1_000 * MS) == []  # four reports in one transfer are one of 32 bytes
    assert link.refusal is not None
    assert words in link.refusal
    out = [one for at in range(half, len(line), 8) for one in link.take(line[at : at + 8], 1_001 * MS)]
    assert [one.tag for one in out if isinstance(one, CardArrived)] == [A]


def test_a_reader_may_put_a_release_behind_each_report() -> None:
    link = opened(typed="hex", layout="boot", is_by_report=True)
    line = encode_tag(A, "hex")
    out = [one for at in range(0, len(line), 16) for one in link.take(line[at : at + 16], 1_000 * MS)]
    assert [one.tag for one in out if isinstance(one, CardArrived)] == [A]
    assert link.refusal is None
