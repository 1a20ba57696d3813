"""The Bee-Tek session over its own bytes: order is kept, and dropped bytes are doubt."""

import pytest

from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import (
    AnyObservation,
    CardDrawn,
    CardUnread,
    DeviceFaulted,
    EventsMissed,
    LinkLost,
    LinkRestored,
)

MS = 1_000_000


class Shoe:
    """A link that hears text; times are the bridge's ms."""

    def __init__(self) -> None:
        self.link = DeviceLink(LinkConfig("shoe-1", "bee_tek"), Presence(), lambda tag: True)
        self.link.opened(0, 1)

    def hear(self, text: str, ms: int) -> list[AnyObservation]:
        return self.link.take(text.encode("latin-1"), ms * MS)

    def tick(self, ms: int) -> list[AnyObservation]:
        return self.link.tick(ms * MS)

    def due(self) -> int | None:
        due_ns = self.link.next_deadline_ns()
        return None if due_ns is None else due_ns // MS


@pytest.fixture
def shoe() -> Shoe:
    return Shoe()


@pytest.fixture
def heard(shoe: Shoe) -> Shoe:
    shoe.hear(" [Game]<Card:2C> \r\n", 100)
    shoe.tick(300)
    return shoe


def drawn(card: str, ms: int) -> CardDrawn:
    return CardDrawn(ms * MS, "shoe-1", None, card)


def missed(ms: int) -> EventsMissed:
    return EventsMissed("shoe-1", (), 1, ms * MS)


def fault(code: int, text: str, cleared: bool, ms: int) -> DeviceFaulted:
    return DeviceFaulted("shoe-1", code, text, cleared, ms * MS)


def test_the_first_record_proves_the_path_and_line_ends_do_not(shoe: Shoe) -> None:
    assert shoe.hear("\r\n \r\n", 10) + shoe.tick(200) == []
    assert not shoe.link.is_verified
    assert shoe.hear(" [Game]<Card:4S>", 300) == [
        LinkRestored("shoe-1", (), None, 300 * MS),
        drawn("4s", 300),
    ]
    assert shoe.link.is_verified
    assert shoe.link.counters["frames"] == 1
    assert not [name for name in shoe.link.counters if name.startswith("junk")]


def test_cards_and_alarms_keep_their_order(heard: Shoe) -> None:
    line = " [Game]<Card:4S> [Game]<Alarm:E3 Card Not Read> [Game]<Game> <W0x01> [Game]<Card:5H> \r\n"
    assert heard.hear(line, 400) == [
        drawn("4s", 400),
        fault(3, "E3 Card Not Read", False, 400),
        CardUnread(400 * MS, "shoe-1"),
        fault(1, "W0x01", False, 400),
        fault(3, "E3 Card Not Read", True, 400),
        fault(1, "W0x01", True, 400),
        drawn("5h", 400),
    ]


def test_an_alarm_that_comes_again_is_told_again_and_ends_once(heard: Shoe) -> None:
    alarm = "[Game]<Alarm:E3 Card Not Read>"
    assert len(heard.hear(alarm + alarm, 400)) == 2
    assert heard.hear("[Game]<Card:5H>", 500) == [fault(3, "E3 Card Not Read", True, 500), drawn("5h", 500)]


def test_the_same_card_twice_is_two_cards(heard: Shoe) -> None:
    assert heard.hear("[Game]<Card:5H> [Game]<Card:5H>", 500) == [drawn("5h", 500), drawn("5h", 500)]


@pytest.mark.parametrize("noise", ["[Gime]<Card:4S>", "\xff", "[Game]<Card:4", "Card:4S"])
def test_bytes_that_mean_nothing_may_have_been_a_card(heard: Shoe, noise: str) -> None:
    heard.hear(noise, 1_000)
    out: list[AnyObservation] = []
    while (due := heard.due()) is not None:
        out += heard.tick(due)
    assert [type(one) for one in out] == [EventsMissed]
    assert heard.link.is_verified


def test_doubt_is_told_before_the_record_that_follows(heard: Shoe) -> None:
    assert heard.hear("\xff\xff[Game]<Card:5H>", 1_000) == [missed(1_000), drawn("5h", 1_000)]


def test_a_burst_of_noise_is_one_doubt_and_the_next_one_another(heard: Shoe) -> None:
    out = [one for ms in range(1_000, 1_800, 200) for one in heard.hear("\xff[Game]<Game>", ms)]
    assert [one for one in out if isinstance(one, EventsMissed)] == [missed(1_000)]
    assert heard.hear("\xff[Game]<Game>", 2_001)[0] == missed(2_001)


def test_noise_before_the_first_record_is_no_missed_card(shoe: Shoe) -> None:
    out = shoe.hear("me]<Card:4S>\r\n", 100)
    assert [type(one) for one in out] == [LinkRestored, CardDrawn]


def test_an_alarm_without_a_number_is_doubt(heard: Shoe) -> None:
    assert heard.hear("[Game]<Alarm:Jam>", 400) == [missed(400)]
    assert heard.link.counters["unclear_reports"] == 1


def test_silence_is_normal_and_the_end_of_the_path_is_not(heard: Shoe) -> None:
    assert heard.due() is None
    assert heard.tick(3_600_000) == []
    assert heard.link.is_verified
    assert heard.link.closed(3_600_001 * MS, "unplugged") == [
        LinkLost("shoe-1", (), "unplugged", 3_600_001 * MS)
    ]
    assert not heard.link.is_verified


def test_doubt_that_is_not_told_yet_is_told_when_the_path_ends(heard: Shoe) -> None:
    heard.hear("\xff", 1_000)
    out = heard.link.closed(1_050 * MS, "unplugged")
    assert [type(one) for one in out] == [EventsMissed, LinkLost]


def test_the_wrong_kind_says_what_to_check(shoe: Shoe) -> None:
    shoe.hear("\x051D\x81\xb8\x034F" * 3, 100)
    for _ in range(10):
        due = shoe.due()
        if due is not None:
            assert shoe.tick(due) == []
    assert shoe.due() is None
    assert shoe.link.refusal is not None
    assert "not bee_tek: check `kind` and `baud`" in shoe.link.refusal


def test_a_snapshot_carries_the_fault_and_the_doubt(heard: Shoe) -> None:
    heard.hear("[Game]<Alarm:E3 Card Not Read>\xff", 1_000)
    heard.tick(1_100)
    again = Shoe()
    again.link.restore(heard.link.snapshot())
    assert again.due() == heard.due()
    assert again.hear("[Game]<Card:5H>", 1_200) == heard.hear("[Game]<Card:5H>", 1_200) != []


def test_it_has_nothing_to_send(heard: Shoe) -> None:
    assert heard.link.sends() == []
    assert heard.link.light_reports() == []
    assert heard.link.places == ()


def test_brackets_in_noise_do_not_prove_a_shoe(shoe: Shoe) -> None:
    assert shoe.hear("$<x9>#<~q> [Game]<Cord:4S>", 100) == []
    assert not shoe.link.is_verified
    assert shoe.tick(3_200) == []
    assert "check `kind` and `baud`" in (shoe.link.refusal or "")
    assert shoe.hear("<Card:4S>", 4_000) == [LinkRestored("shoe-1", (), None, 4_000 * MS), drawn("4s", 4_000)]
    assert shoe.link.refusal is None
