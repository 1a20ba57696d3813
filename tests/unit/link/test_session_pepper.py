"""The Pepper session: set-up, keep-alive, the name in its events, proven absences. No bytes here."""

from collections import Counter

import pytest

from protocol.messages import Ack, DeviceInfo, HostCommand, Message, Refused, TagSeen
from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.pepper_session import PepperSession
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.session import LinkLabel
from shoe_bridge.link.translate import HeldTranslate
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted, LinkLost, LinkRestored

MS = 1_000_000
NAME, OTHER = "Pepper_C1-MUX-8FC334", "Pepper_C1-MUX-000001"
SET_UP = ["dummy", "version", "device_name", "event_format", "event_format", "polling"]


class Desk:
    """A session and its far end; times are the bridge's ms."""

    def __init__(self, identity: str | None = None, antennas: dict[int, str] | None = None) -> None:
        antennas = {1: "seat 1", 2: "seat 2"} if antennas is None else antennas
        self.counters: Counter[str] = Counter()
        self.presence = Presence()
        reader = HeldReader(
            self.presence,
            "reader-1",
            antennas,
            cycle_ms=400,
            hold_ms=500,
            is_known_tag=lambda tag: True,
            counters=self.counters,
        )
        translate = HeldTranslate("reader-1", reader, list(antennas), self.counters)
        label = LinkLabel("reader-1", "pepper_c1", tuple(antennas.values()))
        self.places = label.places
        self.session = PepperSession(label, identity, self.counters, translate)

    def say(self, ms: int, *messages: Message) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.take(messages, None, ms * MS, out)
        return out

    def event(
        self, ms: int, tag: str = "E0A", antenna: int | None = 1, name: str = NAME
    ) -> list[AnyObservation]:
        return self.say(ms, TagSeen(tag, antenna, device_name=name))

    def tick(self, ms: int) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.tick(ms * MS, out)
        return out

    def close(self, ms: int) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        self.session.closed(ms * MS, "unplugged", out)
        return out

    def asked(self) -> list[HostCommand]:
        commands = list(self.session.commands)
        self.session.commands.clear()
        return commands

    def names(self) -> list[str]:
        return [command.command for command in self.asked()]

    def due(self) -> int | None:
        due_ns = self.session.next_deadline_ns()
        return None if due_ns is None else due_ns // MS

    def answer(self, ms: int, command: HostCommand) -> list[AnyObservation]:
        """As the reader answers."""
        if command.command == "version":
            return self.say(ms, DeviceInfo(firmware="2.04"))
        if command.command == "device_name":
            return self.say(ms, DeviceInfo(device_name=NAME))
        return self.say(ms, Ack("polling_setup" if command.command == "event_format" else command.command))

    def set_up(self, ms: int) -> tuple[list[str], list[AnyObservation]]:
        """Answer every question of the set-up at once."""
        names, out = [], list[AnyObservation]()
        while asked := self.asked():
            for command in asked:
                names.append(command.command)
                out += self.answer(ms, command)
        return names, out


def _live(identity: str | None = None, antennas: dict[int, str] | None = None) -> Desk:
    desk = Desk(identity, antennas)
    desk.session.opened(0)
    desk.set_up(10)
    assert desk.session.is_verified
    return desk


# -- set-up


def test_each_question_waits_for_the_answer_to_the_last_and_then_the_link_is_restored() -> None:
    desk = Desk()
    desk.session.opened(0)
    names, out = desk.set_up(10)
    assert names == SET_UP
    assert out == [LinkRestored("reader-1", ("seat 1", "seat 2"), None, 10 * MS)]
    assert desk.session.is_verified


def test_known_and_unknown_tags_are_told_as_json() -> None:
    desk = Desk()
    desk.session.opened(0)
    formats = []
    while asked := desk.asked():
        formats += [command.args for command in asked if command.command == "event_format"]
        desk.answer(10, asked[0])
    assert formats == [{"known": 0, "format": "json"}, {"known": 1, "format": "json"}]


def test_a_question_without_an_answer_is_asked_again() -> None:
    desk = Desk()
    desk.session.opened(0)
    desk.asked()
    assert desk.due() == 500
    assert desk.tick(500) == []
    assert desk.names() == ["dummy"]


def test_a_reader_that_does_not_answer_is_said_to_be_lost_once() -> None:
    desk = Desk()
    desk.session.opened(0)
    out = [one for ms in range(500, 9_000, 500) for one in desk.tick(ms)]
    assert out == [LinkLost("reader-1", ("seat 1", "seat 2"), "the device does not answer", 3_000 * MS)]
    assert desk.session.refusal is not None
    assert "pepper_c1" in desk.session.refusal
    assert desk.close(9_500) == []


def test_events_during_the_set_up_are_left_for_the_next_poll() -> None:
    desk = Desk()
    desk.session.opened(0)
    assert desk.event(5) == []
    assert desk.names() == ["dummy"]
    desk.answer(6, HostCommand("dummy"))
    desk.set_up(10)
    assert [type(one) for one in desk.event(400)] == [CardArrived]


def test_a_reader_that_refuses_to_poll_is_refused_in_one_sentence() -> None:
    desk = Desk()
    desk.session.opened(0)
    out: list[AnyObservation] = []
    while asked := desk.asked():
        if asked[0].command == "polling":
            out += desk.say(10, Refused("polling", 0x24, "not supported"))
        else:
            out += desk.answer(10, asked[0])
    assert out == []
    refusal = desk.session.refusal
    assert refusal is not None
    assert "refuses the command polling (not supported)" in refusal
    assert not desk.session.is_verified
    desk.tick(600)
    assert desk.names() == ["polling"]


@pytest.mark.parametrize(("antennas", "is_usable"), [({3: "burn"}, True), ({3: "burn", 4: "board"}, False)])
def test_a_reader_without_json_serves_a_single_antenna(antennas: dict[int, str], is_usable: bool) -> None:
    desk = Desk(antennas=antennas)
    desk.session.opened(0)
    while asked := desk.asked():
        if asked[0].command == "event_format":
            desk.say(10, Refused("polling_setup", 0x24, None))
        else:
            desk.answer(10, asked[0])
    assert desk.session.is_verified == is_usable
    assert (desk.session.refusal is None) == is_usable


def test_a_binary_event_is_placed_only_where_there_is_a_single_antenna() -> None:
    single = _live(antennas={3: "burn"})
    assert [one.place for one in single.event(400, antenna=None) if isinstance(one, CardArrived)] == ["burn"]
    several = _live()
    assert several.event(400, antenna=None) == []
    assert several.counters["no_antenna"] == 1


# -- alive


def test_it_is_asked_every_second_while_nothing_lies_there() -> None:
    desk = _live()
    assert desk.due() == 1_010
    desk.tick(1_010)
    assert desk.names() == ["dummy"]
    desk.say(1_012, Ack("dummy"))
    assert desk.due() == 2_010


def test_three_seconds_of_silence_lose_the_link_and_the_set_up_begins_anew() -> None:
    desk = _live()
    out = [one for ms in range(500, 3_600, 500) for one in desk.tick(ms)]
    assert out == [LinkLost("reader-1", ("seat 1", "seat 2"), "the device is silent", 3_500 * MS)]
    desk.asked()
    desk.tick(4_000)
    names, restored = desk.set_up(4_010)
    assert names == SET_UP
    assert restored == [LinkRestored("reader-1", ("seat 1", "seat 2"), None, 4_010 * MS)]


def test_a_stalled_host_gives_the_reader_time() -> None:
    desk = _live()
    assert desk.tick(20_000) == []
    desk.say(20_001, Ack("dummy"))
    assert desk.tick(20_600) == []
    assert desk.session.is_verified


def test_closing_tells_the_loss_once() -> None:
    desk = _live()
    assert len(desk.close(100)) == 1
    assert desk.close(100) == []
    assert desk.event(200) == []
    assert desk.due() is None


# -- absences


def test_when_the_hold_time_is_over_a_question_is_asked_whose_answer_proves_the_absence() -> None:
    desk = _live()
    desk.event(400)
    desk.event(800)
    assert desk.due() == 1_010
    desk.tick(1_010)
    desk.say(1_012, Ack("dummy"))
    assert desk.due() == 1_300
    assert desk.tick(1_300) == []
    assert desk.names() == ["dummy", "dummy"]
    assert desk.say(1_303, Ack("dummy")) == [CardDeparted("seat 1", "E0A", 800 * MS, 1_303 * MS, "reader-1")]


def test_an_answer_that_nobody_asked_for_proves_nothing() -> None:
    desk = _live()
    desk.event(400)
    assert desk.say(5_000, Ack("dummy")) == []


def test_a_reader_that_restarted_unseen_is_given_time_to_find_its_tags_again() -> None:
    desk = _live()
    desk.event(400)
    desk.tick(900)
    # no answer: the reader is restarting; at 1,950 it is back, its first poll follows
    desk.tick(1_900)
    assert desk.say(1_950, Ack("dummy")) == []
    assert desk.event(2_300) == []
    desk.tick(2_800)
    assert desk.say(2_803, Ack("dummy")) != []


# -- who is it


def test_a_reader_of_another_name_is_refused_at_the_second_event_and_counts_for_nothing() -> None:
    desk = _live(identity=NAME)
    assert desk.event(400, name=OTHER) == []
    assert desk.session.is_verified
    assert desk.event(800, name=OTHER) == [
        LinkLost("reader-1", ("seat 1", "seat 2"), "another device answers", 800 * MS)
    ]
    assert not desk.session.is_verified
    refusal = desk.session.refusal
    assert refusal is not None
    assert OTHER in refusal
    assert NAME in refusal
    assert desk.presence.places_of("E0A") == []
    assert desk.close(900) == []


def test_one_garbled_name_among_good_ones_costs_one_event() -> None:
    desk = _live(identity=NAME)
    for ms in range(400, 8_000, 800):
        desk.event(ms, name=OTHER)
        desk.event(ms + 400)
    assert desk.session.is_verified


def test_the_right_name_after_a_refusal_sets_the_reader_up_again() -> None:
    desk = _live(identity=NAME)
    desk.event(400, name=OTHER)
    desk.event(800, name=OTHER)
    desk.asked()
    assert desk.event(1_200) == []
    names, out = desk.set_up(1_210)
    assert names[0] == "dummy"
    assert isinstance(out[-1], LinkRestored)
    assert desk.session.refusal is None


def test_a_reader_is_known_by_name_before_it_reads_a_tag() -> None:
    assert _live().session.identity == NAME


def test_a_reader_that_is_known_as_another_one_of_the_table_is_never_live() -> None:
    desk = Desk()
    desk.session.others = {NAME: "reader-2"}
    desk.session.opened(0)
    for ms in range(10, 1_200, 100):
        desk.set_up(ms)
        desk.tick(ms + 50)
        assert not desk.session.is_verified
    assert "which is reader-2" in (desk.session.refusal or "")


def test_where_an_identity_is_configured_the_reader_is_asked_for_its_name() -> None:
    desk = Desk(identity=OTHER)
    desk.session.opened(0)
    names, out = desk.set_up(10)
    assert names == ["dummy", "version", "device_name"]
    assert out == []


def test_firmware_that_does_not_tell_its_name_is_set_up_all_the_same() -> None:
    desk = Desk(identity=NAME)
    desk.session.opened(0)
    names: list[str] = []
    ms = 0
    while not desk.session.is_verified and ms < 5_000:
        for command in desk.asked():
            names.append(command.command)
            if command.command != "device_name":
                desk.answer(ms, command)
        ms += 100
        desk.tick(ms)
    assert names == ["dummy", "version", "device_name", "device_name", "device_name", *SET_UP[3:]]


def test_of_firmware_that_does_not_tell_its_name_the_first_one_said_twice_in_events_is_it() -> None:
    desk = Desk()
    desk.session.opened(0)
    for ms in range(0, 2_000, 100):
        for command in desk.asked():
            if command.command != "device_name":
                desk.answer(ms, command)
        desk.tick(ms)
    assert desk.session.is_verified
    assert desk.session.identity is None
    desk.event(2_400, name="Pepper_C1-MUX-8FC33?")
    desk.event(2_800)
    desk.event(3_200)
    desk.event(3_600, name=OTHER)
    assert desk.event(4_000, name=OTHER) != []
    assert desk.session.identity == NAME


# -- stored


@pytest.mark.parametrize("cut", range(12))
def test_a_snapshot_goes_on_like_the_original(cut: int) -> None:
    story = [
        lambda d: d.session.opened(0) or [],
        lambda d: d.answer(10, HostCommand("dummy")),
        lambda d: d.answer(11, HostCommand("version")),
        lambda d: d.answer(12, HostCommand("device_name")),
        lambda d: d.answer(12, HostCommand("event_format")),
        lambda d: d.answer(13, HostCommand("event_format")),
        lambda d: d.answer(14, HostCommand("polling")),
        lambda d: d.event(400),
        lambda d: d.event(400, name=OTHER),
        lambda d: d.tick(900),
        lambda d: d.say(902, Ack("dummy")),
        lambda d: d.tick(4_000),
    ]
    whole = Desk()
    expected = [(step(whole), whole.asked(), whole.due()) for step in story]
    first, second = Desk(), Desk()
    said = [(step(first), first.asked(), first.due()) for step in story[:cut]]
    second.presence.restore(first.presence.snapshot())
    second.session.restore(first.session.snapshot())
    # what the reader remembers besides is the link's to store
    second.session._translate.reader.restore(first.session._translate.reader.snapshot())
    said += [(step(second), second.asked(), second.due()) for step in story[cut:]]
    assert said == expected
