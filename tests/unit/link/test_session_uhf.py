"""How the UHF readers are asked. The session itself has its own tests."""

from collections import Counter

from protocol.messages import Ack, DeviceInfo, HostCommand, Message, PollEmpty, Refused, TagSeen
from shoe_bridge.link.asked_reader import AskedReader
from shoe_bridge.link.asked_session import AskedSession
from shoe_bridge.link.asker import Asker
from shoe_bridge.link.link_config import LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.session import LinkLabel
from shoe_bridge.link.uhf_askers import ROUND_OVER_MS, R2000Asker, Yrm100Asker
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    DeviceFaulted,
    LinkRestored,
)

MS = 1_000_000
CYCLE_MS = 400
ONE, TWO = "30751FEB705C5904E3D50D70", "E200301666130121155074EF"


class Desk:
    """A session and its far end; times are the bridge's ms."""

    def __init__(self, kind: str, antennas: dict[int, str]) -> None:
        config = LinkConfig("reader-1", kind, antennas, cycle_ms=CYCLE_MS)
        self.counters: Counter[str] = Counter()
        reader = AskedReader(
            Presence(),
            "reader-1",
            antennas,
            cycle_ms=CYCLE_MS,
            gone_after_polls=2,
            is_known_tag=lambda tag: True,
            counters=self.counters,
        )
        asker: Asker = Yrm100Asker(config) if kind == "yrm100" else R2000Asker(config)
        label = LinkLabel("reader-1", kind, config.places)
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


def yrm100() -> Desk:
    desk = Desk("yrm100", {1: "stub"})
    assert desk.asked() == [HostCommand("module_info", {"item": "hardware"})]
    assert desk.say(1, DeviceInfo(hardware="M100 26dBm V1.0")) == []
    assert desk.asked() == [HostCommand("stop_inventory")]
    assert [type(one) for one in desk.say(2, Ack("stop_inventory"))] == [LinkRestored]
    assert desk.asked() == [HostCommand("inventory")]
    return desk


def r2000() -> Desk:
    desk = Desk("r2000", {1: "seat 1", 3: "board"})
    assert desk.asked() == [HostCommand("firmware_version")]
    assert [type(one) for one in desk.say(1, DeviceInfo(firmware="8.2"))] == [LinkRestored]
    assert desk.asked() == [HostCommand("set_work_antenna", {"antenna": 1})]
    return desk


INVENTORY = HostCommand("inventory", {"repeat": 1})


def test_a_yrm100_that_polls_by_itself_is_stopped_and_what_it_said_meanwhile_is_dropped() -> None:
    desk = Desk("yrm100", {1: "stub"})
    desk.asked()
    assert desk.say(1, TagSeen(ONE, rssi=-55)) == []
    assert desk.say(2, DeviceInfo(hardware="M100 26dBm V1.0")) == []
    assert desk.say(3, TagSeen(ONE, rssi=-55)) == []
    assert [type(one) for one in desk.say(4, Ack("stop_inventory"))] == [LinkRestored]
    assert desk.counters["late_answers"] == 2


def test_a_yrm100_that_knows_no_stop_is_asked_all_the_same() -> None:
    desk = Desk("yrm100", {1: "stub"})
    desk.say(1, DeviceInfo(hardware="M100 26dBm V1.0"))
    assert desk.tick(1_001) == []
    assert [type(one) for one in desk.tick(2_001)] == [LinkRestored]


def test_a_round_of_a_yrm100_is_over_when_no_further_tag_comes() -> None:
    desk = yrm100()
    assert desk.say(10, TagSeen(ONE, rssi=-55)) == []
    assert desk.say(15, TagSeen(TWO, rssi=-60)) == []
    assert desk.tick(15 + ROUND_OVER_MS - 1) == []
    out = desk.tick(15 + ROUND_OVER_MS)
    assert [(one.tag, one.rssi) for one in out if isinstance(one, CardArrived)] == [(ONE, -55), (TWO, -60)]
    assert desk.counters["polls_clean"] == 1


def test_no_tag_is_a_clean_answer_of_a_yrm100_and_an_error_is_none() -> None:
    desk = yrm100()
    desk.say(10, TagSeen(ONE))
    desk.tick(10 + ROUND_OVER_MS)
    desk.tick(500)
    assert desk.say(510, Refused("frequency_hopping", 0x20, "no free channel")) == []
    desk.tick(1_000)
    assert desk.say(1_010, PollEmpty()) == []
    desk.tick(1_500)
    assert [type(one) for one in desk.say(1_510, PollEmpty())] == [CardDeparted]
    assert (desk.counters["polls_clean"], desk.counters["polls_failed"]) == (3, 1)


def test_a_round_beside_which_bytes_were_dropped_proves_no_absence() -> None:
    desk = yrm100()
    desk.say(10, TagSeen(ONE))
    desk.tick(10 + ROUND_OVER_MS)
    for number in range(1, 4):
        ms = 500 * number
        desk.tick(ms)
        desk.session.noise((ms + 5) * MS)
        desk.say(ms + 10, TagSeen(TWO))
        out = desk.tick(ms + 10 + ROUND_OVER_MS)
        assert not [one for one in out if isinstance(one, CardDeparted)]


def test_an_r2000_is_sent_to_each_antenna_before_it_is_asked() -> None:
    desk = r2000()
    assert desk.say(5, Ack("set_work_antenna", 0x10)) == []
    assert desk.asked() == [INVENTORY]
    assert desk.say(10, TagSeen(ONE, 1, -60)) == []
    (arrived,) = desk.say(20, Ack("inventory", text="1 reads"))
    assert isinstance(arrived, CardArrived)
    assert (arrived.place, arrived.tag, arrived.rssi) == ("seat 1", ONE, -60)
    desk.tick(300)
    assert desk.asked() == [HostCommand("set_work_antenna", {"antenna": 3})]
    desk.say(305, Ack("set_work_antenna", 0x10))
    assert desk.asked() == [INVENTORY]
    assert desk.say(320, PollEmpty(3)) == []
    assert desk.counters["polls_clean"] == 2


def test_a_missing_antenna_is_a_fault_after_three_polls_and_over_when_it_is_back() -> None:
    desk = Desk("r2000", {2: "board"})
    desk.say(1, DeviceInfo(firmware="8.2"))
    missing, faults = Refused("inventory", 0x22, "antenna missing"), list[AnyObservation]()
    for number in range(4):
        desk.tick(10 + 500 * number)
        faults += desk.say(10 + 500 * number, Ack("set_work_antenna", 0x10))
        faults += desk.say(15 + 500 * number, missing)
    (fault,) = faults
    assert isinstance(fault, DeviceFaulted)
    assert (fault.code, fault.text, fault.cleared) == (0x22, "antenna 2: antenna missing", False)
    desk.tick(2_100)
    desk.say(2_110, Ack("set_work_antenna", 0x10))
    (over,) = desk.say(2_120, PollEmpty(2))
    assert isinstance(over, DeviceFaulted)
    assert over.cleared


def test_an_r2000_that_cannot_go_to_an_antenna_fails_that_poll() -> None:
    desk = r2000()
    assert desk.say(5, Refused("set_work_antenna", 0x47, "antenna number out of range")) == []
    assert desk.counters["polls_failed"] == 1


def test_a_tag_of_the_antenna_before_belongs_to_no_poll() -> None:
    desk = r2000()
    desk.say(5, Ack("set_work_antenna", 0x10))
    desk.say(10, TagSeen(ONE, 3, -60))
    assert desk.say(20, Ack("inventory", text="1 reads")) == []
    assert desk.counters["of_another_antenna"] == 1
