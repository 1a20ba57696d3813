"""One table of a scenario: the core of the bridge beside the simulated devices that feed it."""

from typing import Any

import msgspec

from shoe_bridge.cli.scenario_light import DrivenLight, LightWatch
from shoe_bridge.rules.book import Book
from shoe_bridge.rules.games import open_game
from shoe_bridge.runtime.assembly import deal_model, links_of
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.core import TABLE, Core, Step
from shoe_bridge.runtime.ports import Tick
from shoe_bridge.sim.player import Moment, player_for
from shoe_bridge.sim.scenario import Scenario, deck_for
from shoe_bridge.sim.sim_table import LIGHT_NAME, table_for
from shoe_bridge.sim.usb_light_device import UsbLightDevice
from shoe_bridge.table.deal_model import Level
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.money import Money, cents_of
from shoe_bridge.table.observations import Event
from shoe_bridge.table.state import Setup

Finding = dict[str, Any]


class PlayedTable:
    """The core of the scenario's table beside the player that feeds it. What it concludes goes to the end of
    `findings`, each with the key `table` where the table has a `name` among others."""

    def __init__(
        self,
        scenario: Scenario,
        reader: str | None,
        book: Book,
        findings: list[Finding],
        name: str | None = None,
    ) -> None:
        config = table_for(scenario, reader)
        devices = tuple(msgspec.convert(entry, DeviceConfig, str_keys=True) for entry in config["device"])
        setup = Setup(
            scenario.id,
            book.fit(open_game(scenario.game)),
            tuple(sorted(scenario.seats)),
            scenario.button,
            _register_of(scenario, reader),
            tuple(device.name for device in devices),
            tuple(key for device in devices for key in device.keys.values()),
            tracks_button=True,
            is_first_hand=scenario.first_hand,
            money=money_of(scenario),
            model=deal_model(devices, msgspec.convert(scenario.noise, Level))
            if scenario.is_order_uncertain
            else None,
        )
        self.core = Core(setup, links_of(devices), book)
        self.player = player_for(scenario, self._sends, reader)
        self._findings = findings
        self._label = {} if name is None else {"table": name}
        self._numbers: dict[int, Finding] = {}
        self._scenario = scenario
        self._step = 0
        self._watch = self._watch_light() if name is None else None  # a table among others has no light

    def play(self) -> None:
        """Act the whole scenario out."""
        for moment in self.player.start():
            self.take(moment)
        for moment in self.player.play(self._scenario.actions):
            self.take(moment)
        if self._watch is not None:
            self._watch.conclude(self._step)

    def take(self, moment: Moment) -> list[Event]:
        """Take what reached the host at one time; gives the events that it led to."""
        if self._watch is not None and moment.step != self._step:
            self._watch.conclude(self._step)
        self._step = moment.step
        steps = [self.core.take(given) for given in moment.inputs if given.device in self.core.links]
        for name, link in self.core.links.items():
            deadline = link.next_deadline_ns()
            if deadline is not None and deadline <= moment.at_mono_ns:
                steps.append(self.core.take(Tick(name, moment.at_mono_ns)))
        deadline = self.core.next_deadline_ns()
        if deadline is not None and deadline <= moment.at_mono_ns:
            steps.append(self.core.take(Tick(TABLE, moment.at_mono_ns)))
        for step in steps:
            self._conclude(step, moment.step)
        if self._watch is not None:
            self._watch.desire(self.core.light, self.player.now_ms)
        return [event for step in steps for event in step.events]

    def _watch_light(self) -> LightWatch | None:
        """Somebody who looks at the light that the scenario names, with the bridge's driver at it."""
        devices = self.player.stage.table.devices
        device = devices.get(LIGHT_NAME)
        if not isinstance(device, UsbLightDevice):
            return None
        light = devices[LIGHT_NAME] = DrivenLight(device)
        return LightWatch(light, self._findings)

    def _sends(self, device: str) -> list[bytes]:
        link = self.core.links.get(device)
        return link.sends() if link is not None else []

    def _conclude(self, step: Step, index: int) -> None:
        for change in step.changes:
            if change.raised:
                finding = told(change.finding, index, change.certainty) | self._label
                self._numbers[change.number] = finding
                self._findings.append(finding)
            else:
                self._numbers[change.number]["withdrawn_after"] = index


def told(finding: msgspec.Struct, index: int, certainty: str) -> Finding:
    """A finding as `scenario --json` gives it, first standing after step `index`."""
    return {
        "after": index,
        "withdrawn_after": None,
        **msgspec.to_builtins(finding),
        "certainty": certainty,
    }


def money_of(scenario: Scenario) -> Money:
    """The amounts that the scenario names."""
    amounts = (scenario.chip, scenario.pool, scenario.pool_major, scenario.pool_minor)
    return Money(*(None if amount is None else cents_of(amount) for amount in amounts))


def _register_of(scenario: Scenario, reader: str | None) -> Register:
    """The register of the scenario's decks, the one in use first."""
    decks = deck_for(scenario, reader)
    tags: dict[str, dict[str, str]] = {decks.in_use: {}}
    for tag, known in decks.registered.items():
        tags.setdefault(known.deck, {})[tag] = known.card
    return Register(tuple(Deck(name, of_deck) for name, of_deck in tags.items()))
