"""One simulation: devices on ptys, a dealer who waits for the bridge, and the end by a signal."""

import itertools
import os
import random
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from shoe_bridge.adapters.usb_names import is_usb
from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.demo_table import errors_of
from shoe_bridge.cli.sim_deck import TypedTags, check_readable, check_typed, world_for
from shoe_bridge.cli.sim_ports import SimPorts
from shoe_bridge.errors import UsageError
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.config_keys import key_words
from shoe_bridge.runtime.deck_fit import check_deck_fits
from shoe_bridge.runtime.decks import load_register
from shoe_bridge.sim.dealer import ScriptedHand
from shoe_bridge.sim.dealer import hands as scripted_hands
from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.hid_keyboard_device import HidKeyboardDevice
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.one_way_shoe import OneWayShoe
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import parse_step
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.tags import DEFAULT_DECK, decks_of, technology_for_all
from shoe_bridge.sim.text_line_device import TextLineDevice
from shoe_bridge.sim.timed_device import ReadingDevice
from shoe_bridge.sim.usb_light_device import UsbLightDevice
from shoe_bridge.sim.world import World

_LOOK_S = 0.1
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

Tell = Callable[[dict[str, Any]], None]


class HeardDevice:
    """A simulated device that remembers whether a host has spoken to it."""

    def __init__(self, device: SimDevice) -> None:
        self.name = device.name
        self.kind = device.kind
        self.device = device
        self.has_heard = False

    @property
    def is_plugged(self) -> bool:
        return self.device.is_plugged

    @is_plugged.setter
    def is_plugged(self, value: bool) -> None:
        self.device.is_plugged = value

    def take(self, data: bytes, at_ms: int) -> None:
        self.has_heard = self.has_heard or bool(data)
        self.device.take(data, at_ms)

    def advance(self, at_ms: int) -> bytes:
        return self.device.advance(at_ms)

    def next_due_ms(self) -> int | None:
        return self.device.next_due_ms()

    def unplug(self) -> None:
        self.device.unplug()

    def replug(self) -> None:
        self.device.replug()


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class SimRun:
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
        self._config = config
        self._seed = seed
        self._hands = hands
        self._tell = tell
        self._errors = _playable_errors(config, errors_of(error, seed), error is None)
        _check_keys(config, self._errors)
        self._script = self._first_checked()
        check_typed(config)
        boxes = SimTable(_as_written(config), Air(World())).devices.values()  # to be asked what they can read
        readers = [box for box in boxes if isinstance(box, ReadingDevice)]
        technology = technology_for_all([*readers, *map(TypedTags, config.devices)])
        world, self._deck_note = world_for(config.table.decks, technology)
        if config.table.decks is not None:
            check_deck_fits(config, load_register(config.table.decks))
        table = SimTable(_as_written(config), Air(world))
        rng = random.Random(f"cards {seed}")
        sensors = "shoe+antennas" if table.has_shoe else "antennas"
        deck = decks_of((DEFAULT_DECK,), technology=technology)
        check_readable(config.table.decks, world, deck.tags_in_use(), table.devices.values())
        self._stage = Stage(table, deck, rng, sensors=sensors, pace_ms=pace_ms)
        # a light on USB has no port here: the bridge writes to the real one
        on_ports = [one for one in table.devices.values() if not isinstance(one, UsbLightDevice)]
        self._heard = [HeardDevice(device) for device in on_ports]
        self._stop = threading.Event()
        self._failure: BaseException | None = None

    def _first_checked(self) -> Iterator[ScriptedHand]:
        """The hands without end. The dealer says with the first one that the table is not fit for them."""
        table = self._config.table
        script = scripted_hands(
            table.game, table.occupied, table.button, self._seed, self._errors, table_seats=table.seats
        )
        return itertools.chain([next(script)], script)

    def play(self, ports: SimPorts, config_path: Path) -> None:
        """Show the devices at `ports` and deal until SIGINT or SIGTERM."""
        told, tell = os.pipe()
        os.set_blocking(tell, False)
        before = {name: signal.signal(name, lambda *_: os.write(tell, b".")) for name in _ENDING}
        try:
            with PtyHost(self._heard, ports.folder) as host:
                ports.link()
                self._tell_ports(ports, config_path)
                dealer = threading.Thread(target=self._deal, args=(host,), name="dealer", daemon=True)
                dealer.start()
                self._wait(told)
            dealer.join()
            if self._failure is not None:
                raise self._failure
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)
            os.close(told)
            os.close(tell)
        self._tell({"type": "stopped", "text": "stopped; the simulated ports are gone"})

    def _wait(self, told: int) -> None:
        """Until a signal or the dealer ends it. A signal only writes a byte: it may come while this
        thread holds the very lock that an event needs."""
        while not self._stop.is_set():
            if select.select([told], [], [], _LOOK_S)[0]:
                self._stop.set()

    def _tell_ports(self, ports: SimPorts, config_path: Path) -> None:
        table = self._config.table
        self._tell(
            {
                "type": "start",
                "table": table.id,
                "seed": self._seed,
                "text": f"simulated table {table.id}, {table.game}, seed {self._seed}",
            }
        )
        if self._deck_note is not None:
            self._tell({"type": "note", "text": self._deck_note})
        for name, path in ports.paths.items():
            pty = str((ports.folder / name).resolve())
            line = {"type": "port", "name": name, "path": str(path), "pty": pty}
            self._tell({**line, "text": f"  {name}: {path} ({pty})"})
        for light in self._config.lights:
            if is_usb(light.port or ""):
                text = (
                    f"{light.name} at {light.port} is not simulated: plug the real light in, or do without it"
                )
                self._tell({"type": "note", "text": text})
        self._tell(
            {
                "type": "waiting",
                "text": f"waiting for the bridge: shoe-bridge run --config {config_path} (Ctrl-C stops)",
            }
        )

    # -- the dealer's thread --------------------------------------------------------------------------

    def _deal(self, host: PtyHost) -> None:
        try:
            if self._wait_for_bridge():
                self._deal_hands(host)
        except BaseException as failure:
            self._failure = failure
            self._stop.set()  # a simulation without a dealer is over

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
            if self._stop.wait(_LOOK_S):
                return False
        self._tell({"type": "connected", "text": "the bridge is there"})
        patient_until_s = time.monotonic() + _LAMP_S
        while not self._is_lamp_armed() and time.monotonic() < patient_until_s:
            if self._stop.wait(_LOOK_S):
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


def _as_written(config: TableConfig) -> dict[str, Any]:
    """The devices and lights as the file has them: what was left out there is left out here."""
    built = msgspec.to_builtins(config, str_keys=True, enc_hook=str)
    for device, box in zip(config.devices, built["device"], strict=True):
        box["keys"] = key_words(device.kind, device.keys)
    return {
        section: [
            {key: value for key, value in box.items() if value not in (None, {})} for box in built[section]
        ]
        for section in ("device", "light")
    }


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
