"""How a PN532 is asked: wake-up, limited retries, two targets at a time. The session has its own tests."""

from collections import Counter

from protocol.messages import Ack, DeviceInfo, HostCommand, Message, PollEmpty, Refused, TagSeen
from shoe_bridge.link.asked_reader import AskedReader
from shoe_bridge.link.asked_session import AskedSession
from shoe_bridge.link.link_config import LinkConfig
from shoe_bridge.link.pn532_asker import ANSWER_MS, Pn532Asker
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.session import LinkLabel
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    DeviceFaulted,
    LinkLost,
    LinkRestored,
)

MS = 1_000_000
CYCLE_MS = 400
ONE, TWO, THREE = "047BCB51962280", "04288E6A581390", "9EB36E66"
ACK = Ack("frame")
LIST = HostCommand("list_passive_target", {"most": 2, "type": "iso14443a"})
POLL = [HostCommand("rf_field", {"on": 0}), LIST]
HALT = HostCommand("deselect", {"target": 0})


class Desk:
    """A session and its far end; times are the bridge's ms."""

    def __init__(self) -> None:
        config = LinkConfig("reader-3", "pn532", {1: "seat 3"}, cycle_ms=CYCLE_MS)
        self.counters: Counter[str] = Counter()
        reader = AskedReader(
            Presence(),
            "reader-3",
            config.antennas,
            cycle_ms=CYCLE_MS,
            gone_after_polls=2,
            is_known_tag=lambda tag: True,
            counters=self.counters,
        )
        label = LinkLabel("reader-3", "pn532", config.places)
        asker = Pn532Asker(config)
        self.session = AskedSession(label, None, self.counters, asker, reader, CYCLE_MS)
        self.session.opened(0)

    def asked(self) -> list[HostCommand]:
        commands = list(self.session.commands)
        self.session.commands.clear()
        return commands

    def say(self, ms: int, *messages: Message) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.take(messages, None, ms * MS, out)
        return out

    def tick(self, ms: int) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.tick(ms * MS, out)
        return out

    def set_up(self, ms: int = 0) -> list[AnyObservation]:
        self.asked()
        out = self.say(ms, ACK) + self.say(ms, Ack("sam_configuration"))
        out += self.say(ms, ACK) + self.say(ms, DeviceInfo(firmware="1.6", model="PN532"))
        return out + self.say(ms, ACK) + self.say(ms, Ack("rf_configuration"))

    def poll(self, ms: int, *lists: tuple[str, ...]) -> list[AnyObservation]:
        """Answer a whole poll with these lists, one after the other."""
        out = self.tick(ms) + self.say(ms, ACK) + self.say(ms, Ack("rf_configuration"))
        for number, tags in enumerate(lists):
            if number:
                out += self.say(ms, ACK) + self.say(ms, Ack("deselect"))
            answer: tuple[Message, ...] = tuple(TagSeen(tag) for tag in tags)
            out += self.say(ms, ACK) + self.say(ms, *(answer or (PollEmpty(),)))
        return out


def test_it_is_woken_named_and_its_retries_limited_before_the_first_poll() -> None:
    desk = Desk()
    assert desk.asked() == [HostCommand("wake_up")]
    assert desk.say(1, ACK) == []
    assert desk.asked() == []
    assert desk.say(2, Ack("sam_configuration")) == []
    assert desk.asked() == [HostCommand("firmware_version")]
    assert desk.say(4, DeviceInfo(firmware="1.6", model="PN532")) == []
    (retries,) = desk.asked()
    assert retries.command == "rf_retries"
    assert 0 < int(retries.args["passive"]) < 0xFF
    assert desk.say(6, Ack("rf_configuration")) == [LinkRestored("reader-3", ("seat 3",), None, 6 * MS)]
    assert desk.session.is_verified
    assert desk.asked() == POLL[:1]


def test_an_empty_antenna_is_a_clean_poll() -> None:
    desk = Desk()
    desk.set_up()
    desk.asked()
    assert desk.poll(10, ()) == []
    assert desk.asked() == [LIST]
    assert desk.counters["polls_clean"] == 1


def test_one_card_ends_the_poll() -> None:
    desk = Desk()
    desk.set_up()
    desk.asked()
    (arrived,) = desk.poll(10, (ONE,))
    assert isinstance(arrived, CardArrived)
    assert (arrived.place, arrived.tag) == ("seat 3", ONE)
    assert desk.asked() == [LIST]
    assert desk.counters["polls_clean"] == 1


def test_two_hole_cards_are_halted_and_the_antenna_is_asked_for_more() -> None:
    desk = Desk()
    desk.set_up()
    desk.asked()
    out = desk.poll(10, (ONE, TWO), ())
    assert [one.tag for one in out if isinstance(one, CardArrived)] == [ONE, TWO]
    assert desk.asked() == [LIST, HALT, LIST]


def test_a_third_card_is_found_behind_the_two_that_the_chip_can_hold() -> None:
    desk = Desk()
    desk.set_up()
    desk.asked()
    out = desk.poll(10, (ONE, TWO), (THREE,))
    assert [one.tag for one in out if isinstance(one, CardArrived)] == [ONE, TWO, THREE]
    # it is missing in the next two polls, which name the two others
    assert desk.poll(500, (ONE, TWO), ()) == []
    (departed,) = desk.poll(1_000, (TWO, ONE), ())
    assert isinstance(departed, CardDeparted)
    assert departed.tag == THREE


def test_a_list_that_names_nothing_new_ends_the_poll() -> None:
    desk = Desk()
    desk.set_up()
    desk.asked()
    out = desk.poll(10, (ONE, TWO), (TWO, ONE))
    assert [one.tag for one in out if isinstance(one, CardArrived)] == [ONE, TWO]
    assert desk.asked() == [LIST, HALT, LIST]
    assert desk.counters["polls_clean"] == 1
    # one tag that is new is reason enough to go on
    (arrived,) = desk.poll(500, (ONE, TWO), (TWO, THREE), ())
    assert isinstance(arrived, CardArrived)
    assert arrived.tag == THREE


def test_an_acknowledgement_without_an_answer_proves_nothing_and_leads_to_a_new_start() -> None:
    desk = Desk()
    desk.set_up()
    desk.asked()
    desk.poll(10, (ONE,))
    desk.tick(500)
    desk.say(501, ACK)
    desk.say(503, Ack("rf_configuration"))
    desk.say(504, ACK)  # the list is acknowledged, and that was all
    desk.asked()
    assert desk.tick(503 + ANSWER_MS) == []
    assert desk.asked() == [HostCommand("wake_up")]
    assert desk.counters["polls_failed"] == 1
    # what it was asked then comes at last, and counts for nothing
    assert desk.say(800, PollEmpty()) == []
    assert desk.counters["late_answers"] == 1


def test_receipts_alone_do_not_keep_a_chip_alive() -> None:
    desk = Desk()
    desk.set_up()
    lost: list[AnyObservation] = []
    for ms in range(100, 8_000, 100):
        desk.say(ms, ACK)
        lost += desk.tick(ms)
    assert [type(one) for one in lost if not isinstance(one, DeviceFaulted)] == [LinkLost]
    assert not desk.session.is_verified
    assert desk.counters["late_answers"] == desk.counters["unasked"] == 0


def test_a_deselection_that_fails_is_put_to_the_test_of_the_next_list() -> None:
    desk = Desk()
    desk.set_up()
    desk.tick(10)
    desk.say(10, Ack("rf_configuration"))
    desk.say(15, TagSeen(ONE), TagSeen(TWO))
    desk.asked()
    assert desk.say(20, Refused("deselect", 0x27, "not acceptable now")) == []
    assert desk.asked() == [LIST]
    out = desk.say(25, TagSeen(ONE), TagSeen(TWO))
    assert [type(one) for one in out] == [CardArrived, CardArrived]
    assert desk.counters["polls_clean"] == 1


def test_an_error_in_a_poll_shows_what_it_showed_and_proves_nothing_else() -> None:
    refused = Refused("frame", 0x7F, "syntax error")
    desk = Desk()
    desk.set_up()
    desk.asked()
    desk.poll(10, (ONE, TWO), ())
    for number in range(1, 4):
        ms = 10 + 500 * number
        desk.tick(ms)
        desk.say(ms, Ack("rf_configuration"))
        desk.say(ms, TagSeen(TWO), TagSeen(THREE))
        out = desk.say(ms, refused)
        departed = [one for one in out if isinstance(one, CardDeparted)]
        assert departed == []
        faults = [one for one in out if isinstance(one, DeviceFaulted)]
        assert [fault.code for fault in faults] == ([refused.status] if number == 3 else [])
    assert faults[0].text == "antenna 1: deselect: syntax error"


def test_a_frame_of_no_poll_is_counted() -> None:
    desk = Desk()
    desk.set_up()
    assert desk.say(5, Ack("release")) == []
    assert desk.say(5, PollEmpty()) == []
    assert desk.counters["unasked"] == 2
