"""The bytes of each kind of light for each state, and what its answers mean."""

import itertools

import pytest

from protocol.messages import LightReport
from shoe_bridge.lights.adafruit_tower import AdafruitTower
from shoe_bridge.lights.console import ConsoleLight
from shoe_bridge.lights.kinds import KINDS, LAMP_KINDS, PORT_KINDS
from shoe_bridge.lights.lcus_relay import LcusRelay, relay_command
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.lights.tablelink_lamp import SetLight, TablelinkLamp
from shoe_bridge.lights.usb_lights import LOOKS_OF_KIND
from shoe_bridge.table.light_state import LightState

ALL_WELL, ATTENTION = LightState.ALL_WELL, LightState.ATTENTION
MISDEAL, UNMONITORED = LightState.MISDEAL_ADVISED, LightState.NOT_MONITORED


def as_hex(writes: list[bytes]) -> list[str]:
    return [write.hex(" ").upper() for write in writes]


def test_looks_differ_without_colour() -> None:
    assert set(LOOKS) == set(LightState)
    for one, other in itertools.combinations(LOOKS.values(), 2):
        assert one.pattern != other.pattern
        assert one.symbol != other.symbol
        assert one.word != other.word


@pytest.mark.parametrize(
    ("state", "writes"),
    [
        (ALL_WELL, ["A0 01 01 A2", "A0 02 00 A2", "A0 03 00 A3"]),
        (ATTENTION, ["A0 02 01 A3", "A0 01 00 A1", "A0 03 00 A3"]),
        (MISDEAL, ["A0 03 01 A4", "A0 01 00 A1", "A0 02 00 A2"]),
        (UNMONITORED, ["A0 01 00 A1", "A0 02 00 A2", "A0 03 00 A3"]),
    ],
)
def test_relay_bytes(state: LightState, writes: list[str]) -> None:
    assert as_hex(LcusRelay().show(state)) == writes


def test_relay_documented_commands_and_query() -> None:
    assert relay_command(1, True) == bytes.fromhex("A00101A2")
    assert relay_command(1, False) == bytes.fromhex("A00100A1")
    assert LcusRelay().verify() == [b"\xff"]


def test_relay_own_channels() -> None:
    relay = LcusRelay({ALL_WELL: 4, ATTENTION: 3, MISDEAL: 8})
    assert as_hex(relay.show(MISDEAL)) == ["A0 08 01 A9", "A0 03 00 A3", "A0 04 00 A4"]


@pytest.mark.parametrize(
    "channels",
    [
        {ALL_WELL: 1, ATTENTION: 2},
        {ALL_WELL: 1, ATTENTION: 1, MISDEAL: 2},
        {ALL_WELL: 0, ATTENTION: 1, MISDEAL: 2},
        {ALL_WELL: 1, ATTENTION: 2, MISDEAL: 9},
        {ALL_WELL: 1, ATTENTION: 2, MISDEAL: 3, UNMONITORED: 4},
    ],
)
def test_relay_refuses_channels_that_cannot_tell_the_states_apart(channels: dict[LightState, int]) -> None:
    with pytest.raises(ValueError, match="LCUS"):
        LcusRelay(channels)


def relay_text(*lit: int, relays: int = 4) -> bytes:
    return b"".join(b"CH%d: %s\r\n" % (n, b"ON" if n in lit else b"OFF") for n in range(1, relays + 1))


@pytest.mark.parametrize(
    ("lit", "state"),
    [((1,), ALL_WELL), ((2,), ATTENTION), ((3,), MISDEAL), ((), UNMONITORED), ((4,), UNMONITORED)],
)
def test_relay_answer_cut_anywhere(lit: tuple[int, ...], state: LightState) -> None:
    text = relay_text(*lit)
    for cut in range(len(text) + 1):
        relay = LcusRelay()
        relay.verify()
        answers = [answer for part in (text[:cut], text[cut:]) if (answer := relay.take(part)) is not None]
        assert answers == [state]


def test_relay_answer_that_shows_no_state_confirms_nothing() -> None:
    relay = LcusRelay()
    relay.verify()
    assert relay.take(relay_text(1, 3)) is None
    assert relay.take(b"\x00garbage" * 500) is None
    assert relay.take(b"\r\n" + relay_text(3, relays=2)) is None  # relay 3 is not named yet
    assert relay.take(b"CH3: ON\r\n") is MISDEAL


def test_relay_forgets_half_an_answer_when_it_asks_again() -> None:
    relay = LcusRelay()
    relay.verify()
    assert relay.take(b"CH1: ON\r\nCH2: O") is None
    relay.verify()
    assert relay.take(b"CH2: ON\r\nCH3: OFF\r\n") is None
    assert relay.take(b"CH1: OFF\r\n") is ATTENTION


@pytest.mark.parametrize(
    ("state", "writes"),
    [
        (ALL_WELL, ["14", "21", "22", "28"]),
        (ATTENTION, ["42", "21", "24", "28"]),
        (MISDEAL, ["41", "22", "24", "28"]),
        (UNMONITORED, ["21", "22", "24", "28"]),
    ],
)
def test_tower_bytes(state: LightState, writes: list[str]) -> None:
    tower = AdafruitTower()
    assert as_hex(tower.show(state)) == writes
    assert tower.verify() == []
    assert tower.take(b"anything") is None


@pytest.mark.parametrize(
    ("state", "look"),
    [
        (ALL_WELL, ("steady", 0, 255, 0)),
        (ATTENTION, ("slow_blink", 255, 140, 0)),
        (MISDEAL, ("fast_blink", 255, 0, 0)),
        (UNMONITORED, ("flash", 0, 0, 255)),
    ],
)
def test_lamp_command_and_report(state: LightState, look: tuple[str, int, int, int]) -> None:
    lamp = TablelinkLamp(2)
    assert lamp.show(state) == [SetLight(2, *look, hold_ms=2000)]
    assert lamp.take(LightReport(2, *look)) is state
    assert lamp.take(LightReport(1, *look)) is None
    assert lamp.take(LightReport(2, *look, expired=True)) is UNMONITORED


def test_lamp_report_of_a_look_that_is_not_ours() -> None:
    assert TablelinkLamp().take(LightReport(1, "steady", 255, 0, 0)) is None


def test_lamp_promise_outlives_three_lost_renewals() -> None:
    lamp = TablelinkLamp()
    assert lamp.show(ALL_WELL)[0].hold_ms > 3 * lamp.keep_alive_ms


def test_console_lines_tell_by_word_and_symbol() -> None:
    console = ConsoleLight("dealer")
    lines = {state: b"".join(console.show(state)).decode() for state in LightState}
    assert lines == {
        ALL_WELL: "light dealer [ ok ] ALL WELL\n",
        ATTENTION: "light dealer [ !  ] ATTENTION\n",
        MISDEAL: "light dealer [!!!!] MISDEAL ADVISED\n",
        UNMONITORED: "light dealer [ ?? ] NOT MONITORED\n",
    }
    assert console.verify() == []
    assert console.take(b"typed") is None


def test_kinds() -> None:
    assert {"tablelink", "lcus_relay", "adafruit_tower", "console", *LOOKS_OF_KIND} == KINDS
    assert {name: kind.baud for name, kind in PORT_KINDS.items() if name not in LOOKS_OF_KIND} == {
        "lcus_relay": 9600,
        "adafruit_tower": 9600,
        "console": None,
    }
    own = {ALL_WELL: 3, ATTENTION: 2, MISDEAL: 1}
    assert as_hex(PORT_KINDS["lcus_relay"].make("x", own).show(MISDEAL))[0] == "A0 01 01 A2"
    assert PORT_KINDS["adafruit_tower"].make("x", None).show(ALL_WELL)[0] == b"\x14"
    assert PORT_KINDS["console"].make("pit", None).show(ALL_WELL) == [b"light pit [ ok ] ALL WELL\n"]
    assert LAMP_KINDS["tablelink"](7).lamp == 7
