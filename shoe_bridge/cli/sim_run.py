"""One simulation with a dealer, who waits for the bridge and deals hand after hand."""

import itertools
import random
import time
from collections.abc import Iterator
from typing import Any

from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.demo_table import errors_of
from shoe_bridge.cli.sim_deck import check_readable, world_for
from shoe_bridge.cli.sim_host import LOOK_S, SimHost, Tell, technology_of
from shoe_bridge.errors import UsageError
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.deck_fit import check_deck_fits
from shoe_bridge.runtime.decks import load_register
from shoe_bridge.sim.dealer import ScriptedHand
from shoe_bridge.sim.dealer import hands as scripted_hands
from shoe_bridge.sim.hid_keyboard_device import HidKeyboardDevice
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice
from shoe_bridge.sim.one_way_shoe import OneWayShoe
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import parse_step
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.tags import DEFAULT_DECK, decks_of
from shoe_bridge.sim.text_line_device import TextLineDevice

_LAMP_S = 10.0  # how long a lamp may take to show that the bridge is armed; then hands are dealt all the same
_NEEDED_KEYS = ("shuffle", "cut", "end deal", "push", "next hand")
_SPARE_KEYS = frozenset(
    {"end bet", "showdown", "corrected", "cannot correct"}
)  # a dealer at a table without them goes without
_KEYS_OF_ERROR = {
    "count_error": ("supervisor misdeal",),
    "dealt_out": ("supervisor misdeal",),
    "extra_hand": ("supervisor misdeal",),
    "missing_burn": ("supervisor play on",),
    "extra_burn": ("supervisor play on",),
    "exposed_card": ("exposed", "supervisor play on"),
}


class SimRun(SimHost):
    """The simulated devices of `config` and their dealer. UsageError for what cannot be played there.

    `tell` gets one dict per change, each with a `text` for people.
    """

    def __init__(
        self,
        config: TableConfig,
        seed: int,
        error: str | None,
        pace_ms: int | None,
        hands: int | None,
        tell: Tell,
    ) -> None:
        self._seed = seed
        self._hands = hands
        self._errors = _playable_errors(config, errors_of(error, seed), error is None)
        _check_keys(config, self._errors)
        self._script = self._first_checked(config)
        technology = technology_of(config)
        world, deck_note = world_for(config.table.decks, technology)
        if config.table.decks is not None:
            check_deck_fits(config, load_register(config.table.decks))
        title = f"simulated table {config.table.id}, {config.table.game}, seed {seed}"
        super().__init__(config, world, tell, title, (deck_note,) if deck_note is not None else ())
        table = self._table
        rng = random.Random(f"cards {seed}")
        sensors = "shoe+antennas" if table.has_shoe else "antennas"
        deck = decks_of((DEFAULT_DECK,), technology=technology)
        check_readable(config.table.decks, world, deck.tags_in_use(), table.devices.values())
        self._stage = Stage(table, deck, rng, sensors=sensors, pace_ms=pace_ms)

    def _first_checked(self, config: TableConfig) -> Iterator[ScriptedHand]:
        """The hands without end. The dealer says with the first one that the table is not fit for them."""
        table = config.table
        script = scripted_hands(
            table.game, table.occupied, table.button, self._seed, self._errors, table_seats=table.seats
        )
        return itertools.chain([next(script)], script)

    def _act(self, host: PtyHost) -> None:
        if self._wait_for_bridge():
            self._deal_hands(host)

    def _start_line(self) -> dict[str, Any]:
        return {"table": self._config.table.id, "seed": self._seed}

    def _deal_hands(self, host: PtyHost) -> None:
        for hand in self._script:
            if self._hands is not None and hand.number > self._hands:
                dealt = counted(self._hands, "hand is", "hands are")
                self._tell({"type": "dealt", "text": f"{dealt} dealt; the devices stay"})
                return
            slip = hand.error or "clean"
            text = f"hand {hand.number}: {'a clean hand' if hand.error is None else f'a slip, {slip}'}"
            self._tell({"type": "hand", "number": hand.number, "script": slip, "text": text})
            absent = _SPARE_KEYS - _keys_of(self._config)
            steps = [parse_step(step) for step in hand.steps if step not in absent]
            if not host.play(self._stage, steps):
                return

    def _wait_for_bridge(self) -> bool:
        """Until the bridge has spoken to every device and its lamp says that it is armed, so that no card is
        dealt unseen. Nobody speaks to a one-way shoe, to a reader that prints or types lines or to a keypad,
        and no bridge is armed before such a shoe has spoken.
        False when stopped meanwhile."""
        silent = (OneWayShoe, TextLineDevice, HidKeyboardDevice, HidKeypadDevice)
        spoken_to = [each for each in self._heard if not isinstance(each.device, silent)]
        while not all(device.has_heard for device in spoken_to):
            if self._stop.wait(LOOK_S):
                return False
        self._tell({"type": "connected", "text": "the bridge is there"})
        patient_until_s = time.monotonic() + _LAMP_S
        while not self._is_lamp_armed() and time.monotonic() < patient_until_s:
            if self._stop.wait(LOOK_S):
                return False
        rest_ms = max(
            1_000, 2 * self._stage.table.settle_ms
        )  # first polls: what already lies there is no deal
        return not self._stop.wait(rest_ms / 1000)

    def _is_lamp_armed(self) -> bool:
        """Whether some lamp shows more than `not monitored`; True where there is none to go by."""
        if any(isinstance(each.device, OneWayShoe) for each in self._heard):
            return True
        boxes = [each.device for each in self._heard if isinstance(each.device, TablelinkDevice)]
        lamps = [lamp for box in boxes for lamp in box.lamps.values()]
        return not lamps or any(lamp.shown[0] != "flash" for lamp in lamps)


def _playable_errors(config: TableConfig, errors: tuple[str, ...], is_mix: bool) -> tuple[str, ...]:
    """A mix leaves out what this table has no seat or key for; a slip that was asked for is refused later."""
    if not is_mix:
        return errors
    keys = _keys_of(config)
    has_empty_seat = len(config.table.occupied) < config.table.seats
    return tuple(
        error
        for error in errors
        if keys.issuperset(_KEYS_OF_ERROR.get(error, ())) and (error != "extra_hand" or has_empty_seat)
    )


def _check_keys(config: TableConfig, errors: tuple[str, ...]) -> None:
    needed = [*_NEEDED_KEYS, *(key for error in errors for key in _KEYS_OF_ERROR.get(error, ()))]
    missing = [key for key in dict.fromkeys(needed) if key not in _keys_of(config)]
    if missing:
        raise UsageError(
            f"The simulated dealer needs keys that no device of the configuration has: {', '.join(missing)}; "
            'add them to the keys of a [[device]] of kind "tablelink" or "hid_keyboard".'
        )


def _keys_of(config: TableConfig) -> set[str]:
    return {name for device in config.devices for name in device.keys.values()}
