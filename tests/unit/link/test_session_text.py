"""The link to a home-made reader: lines in, observations out; what silence, damage and chatter prove."""

import pytest

from protocol.text_line import encode_line
from shoe_bridge.errors import ConfigError
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
A, B = "040E3BD2286B85", "0406B9020A5481"
IN_OUT = (
    r"(?:IN|(?P<gone>OUT)) (?P<antenna>\d{1,3}) (?P<uid>[0-9A-F]{8,20})",
    r"(?P<empty>NONE) (?P<antenna>\d{1,3})",
    r"(?P<uid>[0-9A-F]{8,20}) (?P<name>[a-z]{1,9})",
)


class Desk:
    """One link with its clock in ms; `until` ticks at every deadline, as the bridge does."""

    def __init__(self, **options: object) -> None:
        antennas = {0: "seat 1", 1: "seat 2"}
        config = LinkConfig("reader-1", "text_line", **{"antennas": antennas, **options})  # type: ignore[arg-type]
        self.link = DeviceLink(config, Presence(), lambda tag: tag in (A, B))
        self.ms = 0
        self.out: list[AnyObservation] = []
        self.link.opened(0, 1)

    def until(self, ms: int) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        while (due := self.link.next_deadline_ns()) is not None and due <= ms * MS:
            self.ms = max(self.ms + 1, -(-due // MS))
            out += self.link.tick(self.ms * MS)
        self.ms = ms
        self.out += out
        return out

    def hear(self, ms: int, data: bytes) -> list[AnyObservation]:
        out = self.until(ms) + self.link.take(data, ms * MS)
        self.out += out
        return out

    def see(self, ms: int, tag: str = A, antenna: int = 0) -> list[AnyObservation]:
        return self.hear(ms, encode_line("whywaita", tag, antenna))

    def cards(self) -> list[tuple[str, str]]:
        return [
            (type(one).__name__, one.place) for one in self.out if isinstance(one, CardArrived | CardDeparted)
        ]


def live(**options: object) -> Desk:
    desk = Desk(**options)
    assert [type(one) for one in desk.until(600)] == [LinkRestored]
    return desk


# -- the life of the link


def test_a_device_that_says_nothing_is_there_half_a_second_after_the_port_opened() -> None:
    desk = Desk()
    assert desk.until(499) == []
    assert not desk.link.is_verified
    assert desk.until(500) == [LinkRestored("reader-1", ("seat 1", "seat 2"), None, 500 * MS)]
    assert desk.link.is_verified
    assert desk.link.sends() == []
    assert desk.link.closed(900 * MS, "unplugged") == [
        LinkLost("reader-1", ("seat 1", "seat 2"), "unplugged", 900 * MS)
    ]
    assert desk.link.closed(901 * MS, "unplugged") == []
    assert desk.link.next_deadline_ns() is None


def test_the_first_line_may_be_the_end_of_one_begun_before_the_port_was_open() -> None:
    desk = Desk()
    assert [type(one) for one in desk.hear(20, b"D2 28 6B 85\n")] == [LinkRestored]
    assert desk.link.counters["maybe_cut_lines"] == 1
    assert [type(one) for one in desk.see(40)] == [CardArrived]
    late = live()
    assert [type(one) for one in late.see(700)] == [CardArrived]


def test_bytes_of_another_speed_are_named_and_two_good_lines_put_it_right() -> None:
    desk = Desk()
    for ms in range(0, 2_900, 100):
        desk.hear(ms, b"\xf0\x80\xfe\n")
    assert not desk.link.is_verified
    assert [one.why for one in desk.until(3_000) if isinstance(one, LinkLost)] == [
        "the device does not answer"
    ]
    assert "check `kind` and `baud`" in (desk.link.refusal or "")
    assert desk.link.next_deadline_ns() is None
    assert desk.see(4_000) == []
    assert [type(one) for one in desk.see(4_200)] == [LinkRestored, CardArrived]
    assert desk.link.refusal is None


def test_a_little_garbage_of_a_boot_loader_is_no_other_speed() -> None:
    desk = Desk()
    desk.hear(50, b"\xf0\x80\xfe\n" * 3)
    assert desk.until(2_999) == []
    assert [type(one) for one in desk.until(3_000)] == [LinkRestored]


def test_junk_and_nothing_but_junk_loses_a_live_device() -> None:
    desk = live()
    for number in range(19):
        assert desk.hear(1_000 + number, b"\xff\n") == []
    desk.see(1_020)
    for number in range(20):
        desk.hear(1_100 + number, b"\xff\n")
    desk.until(1_200)
    assert [one.why for one in desk.out if isinstance(one, LinkLost)] == [
        "it sends bytes that are not text_line"
    ]
    assert not desk.link.is_verified


def test_a_heartbeat_that_stops_is_a_lost_link_and_the_next_line_restores_it() -> None:
    desk = Desk(heartbeat_s=5, chatter=("alive",))
    desk.hear(100, b"alive\r\n")
    desk.hear(600, b"alive\r\n")
    assert desk.link.is_verified
    assert desk.until(5_599) == []
    (lost,) = desk.until(5_600)
    assert isinstance(lost, LinkLost)
    assert lost.why == "the device is silent"
    assert desk.until(60_000) == []
    assert [type(one) for one in desk.hear(61_000, b"alive\r\n")] == [LinkRestored]


def test_a_device_with_a_heartbeat_must_speak_before_it_counts_as_there() -> None:
    desk = Desk(heartbeat_s=2)
    assert [type(one) for one in desk.until(10_000)] == [LinkLost]
    assert "does not answer" in (desk.link.refusal or "")


def test_a_host_that_slept_gives_a_device_with_a_heartbeat_time() -> None:
    desk = Desk(heartbeat_s=2, chatter=("alive",))
    desk.hear(600, b"alive\r\n")
    assert desk.link.tick(20_000 * MS) == []
    assert desk.link.counters["host_stalls"] == 1
    desk.ms = 20_000
    assert desk.hear(20_200, b"alive\r\n") == []


# -- repeated lines


def test_a_tag_that_is_not_read_for_the_hold_time_is_gone_and_was_there_until_its_last_line() -> None:
    desk = live(hold_ms=500)
    for ms in range(1_000, 3_000, 200):
        desk.see(ms)
    assert desk.cards() == [("CardArrived", "seat 1")]
    assert desk.until(3_399) == []
    (gone,) = desk.until(3_400)
    assert gone == CardDeparted("seat 1", A, 2_800 * MS, 3_400 * MS, "reader-1")


@pytest.mark.parametrize(
    "line", [b"[Channel] 0 [UID: 04 0e \xb3b d2 28 6b 85]\r\n", b"[Channel] 0 [UID: 04 0e 3b d2\r\n"]
)
def test_a_damaged_line_may_have_been_the_tags(line: bytes) -> None:
    desk = live(hold_ms=500)
    desk.see(1_000)
    desk.hear(1_400, line)
    assert desk.until(1_999) == []
    assert [type(one) for one in desk.until(2_000)] == [CardDeparted]


@pytest.mark.parametrize("line", [b"\r\n", b"Card SAK: 08\r\n", b"temperature 21\r\n"])
def test_chatter_puts_nothing_off(line: bytes) -> None:
    desk = live(hold_ms=500, chatter=("temperature",))
    desk.see(1_000)
    desk.hear(1_400, line)
    assert [type(one) for one in desk.until(1_600)] == [CardDeparted]
    assert desk.link.counters["unmatched_lines"] == 0


def test_a_stalled_host_proves_nothing_absent() -> None:
    desk = live(hold_ms=500)
    desk.see(1_000)
    # the deadlines of 1,500 and 1,600 are told seconds late, with lines waiting unread behind them
    assert desk.link.tick(9_000 * MS) == []
    assert desk.link.tick(9_050 * MS) == []
    assert desk.link.take(encode_line("whywaita", A, 0), 9_060 * MS) == []
    assert desk.link.tick(9_100 * MS) == []
    desk.ms = 9_100
    assert [type(one) for one in desk.until(9_700)] == [CardDeparted]


def test_with_a_heartbeat_the_silence_of_all_proves_nothing() -> None:
    desk = Desk(heartbeat_s=3, hold_ms=500, chatter=("alive",))
    desk.hear(600, b"alive\r\n")
    desk.see(1_000)
    assert desk.until(3_900) == []
    (lost,) = desk.until(4_000)
    assert isinstance(lost, LinkLost)
    other = Desk(heartbeat_s=3, hold_ms=500, chatter=("alive",))
    other.hear(600, b"alive\r\n")
    other.see(1_000)
    other.see(1_600, B, 1)
    assert [(type(one), one.place) for one in other.until(1_800)] == [(CardDeparted, "seat 1")]  # type: ignore[union-attr]


def test_a_lost_link_starts_absence_anew() -> None:
    desk = live(hold_ms=500)
    desk.see(1_000)
    desk.out += desk.link.closed(1_100 * MS, "unplugged")
    desk.link.opened(5_000 * MS, 2)
    desk.ms = 5_000
    assert [type(one) for one in desk.until(5_900)] == [LinkRestored]
    assert desk.see(5_950) == []
    assert desk.cards() == [("CardArrived", "seat 1")]


def test_an_unknown_tag_is_believed_at_its_second_line() -> None:
    desk = live()
    assert desk.see(1_000, "0BADC0DE") == []
    assert [type(one) for one in desk.see(1_400, "0BADC0DE")] == [CardArrived]


# -- lines said once


def once(**options: object) -> Desk:
    return live(repeats=False, **options)


def test_a_line_said_once_is_a_card_that_stays_whatever_the_silence() -> None:
    desk = once()
    assert [type(one) for one in desk.see(1_000)] == [CardArrived]
    assert [type(one) for one in desk.see(1_010, "0BADC0DE", 1)] == [CardArrived]
    assert desk.until(3_600_000) == []
    assert desk.link.next_deadline_ns() is None


def test_the_same_tag_at_another_antenna_has_left_the_first() -> None:
    desk = once()
    desk.see(1_000)
    assert [(type(one), one.place) for one in desk.see(2_000, A, 1)] == [  # type: ignore[union-attr]
        (CardDeparted, "seat 1"),
        (CardArrived, "seat 2"),
    ]


def test_the_same_line_again_is_the_card_lifted_and_laid_down_anew() -> None:
    desk = once()
    desk.see(1_000)
    assert desk.see(2_000) == [
        CardDeparted("seat 1", A, 1_000 * MS, 2_000 * MS, "reader-1"),
        CardArrived("seat 1", A, 1_600 * MS, 2_000 * MS, "reader-1"),
    ]


def test_a_device_that_prints_departures_is_taken_at_its_word() -> None:
    desk = once(patterns=IN_OUT)
    desk.hear(1_000, b"IN 0 %s\n" % A.encode())
    assert desk.hear(2_000, b"OUT 1 %s\n" % A.encode()) == []
    assert desk.hear(2_100, b"OUT 0 %s\n" % A.encode()) == [
        CardDeparted("seat 1", A, 1_000 * MS, 2_100 * MS, "reader-1")
    ]
    assert desk.hear(2_200, b"OUT 9 %s\n" % A.encode()) == []
    assert desk.link.counters["unknown_antenna"] == 1


@pytest.mark.parametrize("repeats", [True, False])
def test_clean_empty_polls_prove_absence_and_a_read_between_them_does_not(repeats: bool) -> None:
    desk = live(repeats=repeats, patterns=IN_OUT, hold_ms=60_000)
    line = b"IN 0 %s\n" % A.encode()
    desk.hear(1_000, line)
    assert desk.hear(1_400, b"NONE 0\n") == []
    assert desk.hear(1_500, b"NONE 1\nNONE 1\n") == []
    if repeats:
        assert desk.hear(1_600, line) == []
        assert desk.hear(1_800, b"NONE 0\n") == []
    (gone,) = desk.hear(2_200, b"NONE 0\n")
    assert isinstance(gone, CardDeparted)


def test_a_damaged_line_that_is_said_once_is_an_event_missed() -> None:
    desk = once()
    desk.hear(1_000, b"\xff\xff\r\n\xfe\r\n")
    assert desk.until(1_001) == [EventsMissed("reader-1", ("seat 1", "seat 2"), 2, 1_001 * MS)]
    assert desk.until(9_000) == []
    assert desk.link.counters["events_missed"] == 2


def test_a_second_line_of_the_same_moment_is_the_same_card() -> None:
    """`hedley` prints a tag twice, in two forms; early programs of `whywaita` print in each poll."""
    desk = live(repeats=False, preset="hedley", antennas={1: "seat 1"})
    desk.hear(1_000, encode_line("hedley", A))
    assert desk.cards() == [("CardArrived", "seat 1")]
    for ms in range(1_400, 9_000, 400):
        assert desk.hear(ms, encode_line("hedley", A)) == []
    assert len(desk.hear(9_400, encode_line("hedley", A))) == 2


# -- lines that come once where they are expected again and again


def lone_cards(desk: Desk, count: int, from_ms: int = 1_000) -> list[AnyObservation]:
    """Cards whose line comes once, a second apart, with the time that proves each gone."""
    out: list[AnyObservation] = []
    for number in range(count):
        out += desk.see(from_ms + number * 1_000, (A, B)[number % 2], number % 2)
        out += desk.until(from_ms + number * 1_000 + 900)
    return out


def test_a_device_that_never_repeats_itself_is_no_device_to_follow_a_table_by() -> None:
    desk = live()
    lone_cards(desk, 3)
    assert (desk.link.refusal, desk.link.is_verified) == (None, True)
    lost = [one for one in lone_cards(desk, 1, 5_000) if isinstance(one, LinkLost)]
    assert [one.why for one in lost] == ["its lines come once, and are expected again and again"]
    assert not desk.link.is_verified
    assert "set `repeats = false` at this device" in (desk.link.refusal or "")
    assert [one for one in lone_cards(desk, 4, 7_000) if isinstance(one, LinkLost | LinkRestored)] == []


def test_a_line_that_comes_again_puts_it_right() -> None:
    desk = live()
    lone_cards(desk, 4)
    desk.see(6_000)
    assert [type(one) for one in desk.see(6_300)] == [LinkRestored]
    assert (desk.link.refusal, desk.link.is_verified) == (None, True)
    desk.until(9_000)
    lone_cards(desk, 3, 10_000)
    assert desk.link.is_verified


def test_stray_reads_beside_a_card_that_is_read_again_and_again_are_no_sign() -> None:
    desk = live()
    for ms in range(1_000, 20_000, 200):
        desk.see(ms, B, 1)
        if ms % 2_000 == 0:
            desk.see(ms + 50)
    assert desk.link.refusal is None
    assert desk.cards().count(("CardArrived", "seat 1")) >= 8


@pytest.mark.parametrize("options", [{"repeats": False}, {"antennas": {-1: "antenna -1", 0: "a", 1: "b"}}])
def test_where_one_line_is_enough_nothing_is_said(options: dict[str, object]) -> None:
    desk = live(**options)
    lone_cards(desk, 9)
    assert (desk.link.refusal, desk.link.is_verified) == (None, True)


# -- names, numbers, cards


def test_a_line_without_an_antenna_goes_to_the_only_one() -> None:
    desk = live(antennas={5: "burn"})
    assert [one.place for one in desk.hear(1_000, b"04 0E 3B D2 28 6B 85\n")] == ["burn"]  # type: ignore[union-attr]
    several = live()
    assert several.hear(1_000, b"04 0E 3B D2 28 6B 85\n") == []
    assert several.link.counters["no_antenna"] == 1
    any_place = live(antennas={-1: "antenna -1", 0: "antenna 0"})
    assert [one.place for one in any_place.hear(1_000, b"04 0E 3B D2 28 6B 85\n")] == ["antenna -1"]  # type: ignore[union-attr]
    assert several.see(1_100, A, 7) == []
    assert several.link.counters["unknown_antenna"] == 1


@pytest.mark.parametrize(
    "line", [b"1 0 As 1.00 2.00\n", b'{"scope":"READER","command":"card","key":1,"value":"SA"}\n']
)
def test_a_card_by_name_stands_for_its_tag(line: bytes) -> None:
    desk = live(repeats=False)
    (arrived,) = desk.hear(1_000, line)
    assert isinstance(arrived, CardArrived)
    assert (arrived.place, arrived.tag) == ("seat 2", b"As".hex().upper())


def test_another_device_is_refused_at_its_second_line_and_the_right_one_restores_the_link() -> None:
    desk = live(patterns=IN_OUT, identity="left", antennas={1: "burn"})
    assert [type(one) for one in desk.hear(1_000, b"%s left\n" % A.encode())] == [CardArrived]
    assert desk.hear(1_100, b"%s right\n" % B.encode()) == []
    assert [type(one) for one in desk.hear(1_200, b"%s right\n" % B.encode())] == [LinkLost]
    assert "expected" in (desk.link.refusal or "")
    assert desk.until(9_000) == []
    assert desk.hear(9_100, b"%s left\n" % A.encode()) == []
    assert [type(one) for one in desk.hear(9_200, b"%s left\n" % A.encode())] == [LinkRestored]
    assert desk.link.refusal is None


def test_lines_of_the_host_and_bytes_after_the_end_are_no_news() -> None:
    desk = live()
    assert desk.hear(1_000, b'{"key":-1}\n') == []
    desk.link.closed(1_100 * MS, "unplugged")
    assert desk.link.take(encode_line("whywaita", A, 0), 1_200 * MS) == []
    assert desk.link.counters["bytes_after_close"] == len(encode_line("whywaita", A, 0))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"preset": "none"}, "no preset 'none'"),
        ({"patterns": ("(?P<uid>(a+)+)",)}, "bound its repeats"),
        ({"preset": "wohlig", "patterns": IN_OUT}, "leave one of the two out"),
        ({"typed": "hex"}, "for hid_keyboard"),
    ],
)
def test_lines_that_cannot_be_decoded_are_refused_by_name(options: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=f"device reader-1: .*{said}"):
        Desk(**options)


@pytest.mark.parametrize("cut", range(9))
@pytest.mark.parametrize("repeats", [True, False])
def test_a_snapshot_goes_on_like_the_original(cut: int, repeats: bool) -> None:
    story = [
        (700, A),
        (900, B),
        (1_000, ""),
        (1_500, A),
        (1_800, "?"),
        (1_900, B),
        (4_000, A),
        (4_100, "?"),
        (9_000, A),
    ]

    def tell(desk: Desk, ms: int, tag: str) -> list[AnyObservation]:
        if tag == "?":
            return desk.hear(ms, b"\xff[Chan\r\n")
        return desk.see(ms, tag) if tag else desk.until(ms)

    whole, first = live(repeats=repeats), live(repeats=repeats)
    for ms, tag in story[:cut]:
        assert tell(whole, ms, tag) == tell(first, ms, tag)
    presence = Presence()
    second = Desk(repeats=repeats)
    second.link = DeviceLink(first.link.config, presence, lambda tag: tag in (A, B))
    second.link.restore(first.link.snapshot())
    presence.restore(first.link._reader._presence.snapshot())  # type: ignore[attr-defined]
    second.ms = first.ms
    for ms, tag in story[cut:]:
        assert tell(second, ms, tag) == tell(whole, ms, tag)
    assert second.link.counters == whole.link.counters
