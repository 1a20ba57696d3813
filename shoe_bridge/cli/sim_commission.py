"""The rehearsal of a table's commissioning: somebody who lays the 52 cards of a new deck down one by one for
`deck register`, or who touches every antenna, key and shoe once for `calibrate`, in the order that they ask.

Nobody tells him what is asked: he waits until the devices are spoken to, or held open where nobody speaks to
them, and then goes on at his own pace, which leaves each of the two time for its answer.
"""

from pathlib import Path
from typing import Any

from shoe_bridge.cli.calibrate_map import ANTENNA, KEY, LIGHT, MapProof, Question
from shoe_bridge.cli.deck_enrol import ORDER, card_name
from shoe_bridge.cli.sim_host import LOOK_S, HeardDevice, SimHost, Tell, technology_of
from shoe_bridge.errors import UsageError
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.sim.hid_keyboard_device import HidKeyboardDevice
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice
from shoe_bridge.sim.one_way_shoe import OneWayShoe
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.tags import DEFAULT_DECK, tag_uid
from shoe_bridge.sim.text_line_device import TextLineDevice
from shoe_bridge.sim.world import World

_SILENT = (OneWayShoe, TextLineDevice, HidKeyboardDevice, HidKeypadDevice)  # nobody speaks to them
_READY_S = 3.0  # all devices have proven themselves, and the first question was asked
_KEY_MS = 1_500  # from one key, or one card of the shoe, to the next
_SETTLED_MS = 1_000  # that `calibrate` needs beyond a reader's own time to know where a card lies


class Commission(SimHost):
    """Base of both. `devices` are those that must be spoken to before anything is done."""

    def __init__(self, config: TableConfig, tell: Tell, title: str, devices: tuple[str, ...]) -> None:
        super().__init__(config, World(), tell, title)
        self._devices = devices
        self._technology = technology_of(config)

    def _tag(self, card: str) -> str:
        return tag_uid(DEFAULT_DECK, card, technology=self._technology)

    def _is_spoken_to(self, one: HeardDevice, host: PtyHost) -> bool:
        return host.is_opened(one.name) if isinstance(one.device, _SILENT) else one.has_heard

    def _wait_for_visitor(self, host: PtyHost) -> bool:
        """False when stopped meanwhile."""
        awaited = [one for one in self._heard if one.name in self._devices]
        while not all(self._is_spoken_to(one, host) for one in awaited):
            if self._stop.wait(LOOK_S):
                return False
        self._tell({"type": "connected", "text": "the devices are spoken to"})
        return not self._stop.wait(_READY_S)

    def _lie(self, host: PtyHost, tag: str, place: str, lies_ms: int, gone_ms: int) -> bool:
        """A card lies at a place for a while and is gone for a while. False when stopped meanwhile."""
        with host.table():
            self._table.world.place(tag, place)
        if not host.wait(lies_ms):
            return False
        with host.table():
            self._table.world.lift(tag)
        return host.wait(gone_ms)


class LayDeck(Commission):
    """Lays the cards in the order that `deck register` asks for at `place`. UsageError where no antenna looks
    at it. `pace_ms` is the time between two cards (None: three polling cycles)."""

    def __init__(self, config: TableConfig, place: str, pace_ms: int | None, tell: Tell) -> None:
        looking = tuple(device.name for device in config.devices if place in device.antennas.values())
        if not looking:
            places = sorted({where for device in config.devices for where in device.antennas.values()})
            raise UsageError(f"--lay-deck {place!r}: no antenna looks at it, use one of {', '.join(places)}")
        super().__init__(config, tell, f"a deck for table {config.table.id}, laid down at {place}", looking)
        self._place = place
        self._pace_ms = pace_ms or 3 * self._table.cycle_ms

    def _visitor(self, config_path: Path) -> str:
        return (
            f"the registration: shoe-bridge deck register --file NEW.toml --deck NAME --config {config_path} "
            f'--place "{self._place}"'
        )

    def _act(self, host: PtyHost) -> None:
        if not self._wait_for_visitor(host):
            return
        away_ms = self._pace_ms // 3
        for number, card in enumerate(ORDER, start=1):
            text = f"laid {number} of {len(ORDER)}: the {card_name(card)}"
            self._tell({"type": "laid", "number": number, "card": card, "text": text})
            if not self._lie(host, self._tag(card), self._place, self._pace_ms - away_ms, away_ms):
                return
        self._tell({"type": "done", "text": "all cards were laid down; the devices stay"})


class TouchAll(Commission):
    """Touches what `calibrate` asks for, once each. Lights are for people to look at."""

    def __init__(self, config: TableConfig, tell: Tell) -> None:
        title = f"every antenna and key of table {config.table.id}, touched once"
        super().__init__(config, tell, title, tuple(device.name for device in config.devices))
        self._questions = [one for one in MapProof(config).questions if one.what != LIGHT]

    def _visitor(self, config_path: Path) -> str:
        return f"the calibration: shoe-bridge calibrate --config {config_path} --only antennas --only keys"

    def _act(self, host: PtyHost) -> None:
        if not self._wait_for_visitor(host):
            return
        for number, question in enumerate(self._questions, start=1):
            text = f"touch {number} of {len(self._questions)}: {question.words()}"
            line: dict[str, Any] = {"type": "touch", "what": question.what, "name": question.name}
            self._tell({**line, "number": number, "text": text})
            if not self._touch(question, host):
                return
        self._tell({"type": "done", "text": "everything was touched once; the devices stay"})

    def _touch(self, question: Question, host: PtyHost) -> bool:
        if question.what == ANTENNA:
            table = self._table
            lies_ms = 2 * table.cycle_ms + _SETTLED_MS
            return self._lie(host, self._tag("As"), question.name, lies_ms, table.settle_ms + _SETTLED_MS)
        with host.table():
            if question.what == KEY:
                self._table.press_at(question.configured.device, question.configured.number)
            else:
                self._table.draw(self._tag("As"), "down", "As")
        return host.wait(_KEY_MS)
