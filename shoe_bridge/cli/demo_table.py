"""The demo's table: its configuration file, its deck, and what the simulated dealer will do at it."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from shoe_bridge.cli.counted import counted
from shoe_bridge.errors import UsageError
from shoe_bridge.runtime.config import TableConfig, parse
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.sim.dealer import DEALT_AGAIN, GAMES, ScriptedHand, hands
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.steps import KEY_NAMES
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.tags import DEFAULT_DECK, ISO15693, STANDARD_52, Technology, decks_of, tag_uid
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.sim.world import World
from shoe_bridge.table.deck import Deck, Register

ERROR_KINDS = (
    "order_error",
    "count_error",
    "dealt_out",
    "extra_hand",
    "missing_burn",
    "extra_burn",
    "exposed_card",
    "equipment",
)
NO_ERROR = "none"
SEATS_LEAST, SEATS_MOST = 3, 10
ACKNOWLEDGE = "acknowledge"  # pressed by the floor after a hand, no word of the dealer's scripts
_CYCLE_LEAST_MS, _CYCLE_MOST_MS = 20, 400
_TABLE_ID = "demo-01"


class DemoPlan(msgspec.Struct, frozen=True):
    """What is played: `hands` hands of `game` at a table of `seats` seats, one of them empty, `pace_ms`
    between two cards. `error` is a kind of slip, `none`, or None for a mix. For `linger_ms` the dealer stops
    at a slip before staff deal with it, so that people can read the alert."""

    seed: int
    hands: int = 3
    game: str = "holdem"
    seats: int = 7
    error: str | None = None
    pace_ms: int = 250
    linger_ms: int = 0

    def check(self) -> None:
        """UsageError (one sentence) for what cannot be played."""
        errors_of(self.error, self.seed)
        if self.game not in GAMES:
            raise UsageError(f"the demo cannot deal {self.game!r}: use one of {', '.join(GAMES)}")
        if not SEATS_LEAST <= self.seats <= SEATS_MOST:
            raise UsageError(
                f"a table of {counted(self.seats, 'seat')} cannot be shown: use {SEATS_LEAST} to {SEATS_MOST}"
            )
        if self.hands < 1:
            raise UsageError(f"{self.hands} hands are none: use 1 or more")
        if not 1 <= self.pace_ms <= 60_000:
            raise UsageError(f"a pace of {self.pace_ms} ms cannot be kept: use 1 to 60000")

    @property
    def cycle_ms(self) -> int:
        """A polling cycle in which every antenna hears a card before the next one is dealt."""
        return min(_CYCLE_MOST_MS, max(_CYCLE_LEAST_MS, self.pace_ms // 3))

    @property
    def empty_seat(self) -> int:
        """The seat that nobody sits at, so that a hand too many can be dealt to it."""
        return random.Random(f"empty seat {self.seed}").randint(2, self.seats - 1)

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(seat for seat in range(1, self.seats + 1) if seat != self.empty_seat)


def errors_of(error: str | None, seed: int) -> tuple[str, ...]:
    """The slips that the dealer makes in turn, in every other hand; a mix in an order of `seed` for None, in
    which the second one is a misdeal, so that three hands show every state of the light. UsageError for an
    unknown kind."""
    if error == NO_ERROR:
        return ()
    if error is None:
        mixed = random.Random(f"slips {seed}").sample(ERROR_KINDS, len(ERROR_KINDS))
        misdeal = next(kind for kind in mixed if kind in DEALT_AGAIN)
        first = next(kind for kind in mixed if kind not in DEALT_AGAIN and kind != "equipment")
        return (first, misdeal, *(kind for kind in mixed if kind not in (first, misdeal)))
    if error not in ERROR_KINDS:
        raise UsageError(
            f"the dealer cannot make the error {error!r}: use one of {', '.join((*ERROR_KINDS, NO_ERROR))}"
        )
    return (error,)


def demo_config(plan: DemoPlan, port_folder: Path, has_console: bool) -> dict[str, Any]:
    """The structure of the table's TOML file: an antenna at every place, a key box with the dealer's lamp, a
    relay board and a tower on ports of their own."""
    places = [*(f"seat {seat}" for seat in range(1, plan.seats + 1)), "board", "burn", "muck", "stub"]
    players = list(plan.players)
    table = {"id": _TABLE_ID, "game": plan.game, "seats": plan.seats, "occupied": players}
    table["reads"] = "certain"  # each antenna is polled twice between two cards and misses none
    reader = {"name": "reader-1", "antennas": _numbered(places), "cycle_ms": plan.cycle_ms}
    keys = {"name": "keys-1", "keys": _numbered([*KEY_NAMES, ACKNOWLEDGE])}
    devices = [
        {
            **box,
            "kind": "tablelink",
            "port": f"{port_folder}/{box['name']}",
            "identity": _identity(box["name"]),
        }
        for box in (reader, keys)
    ]
    lights: list[dict[str, Any]] = [
        {"name": "dealer", "kind": "tablelink", "device": "keys-1", "lamp": 1},
        {"name": "relay", "kind": "lcus_relay", "port": f"{port_folder}/relay"},
        {"name": "tower", "kind": "adafruit_tower", "port": f"{port_folder}/tower"},
    ]
    if has_console:
        lights.append({"name": "console", "kind": "console"})
    return {
        "table": {**table, "button": players[-1], "decks": "decks.toml"},
        "device": devices,
        "light": lights,
        "feed": {"sink": "jsonl", "path": "feed.jsonl"},
    }


def write_table(plan: DemoPlan, folder: Path, port_folder: Path, has_console: bool = False) -> TableConfig:
    """Write `table.toml` and `decks.toml` into `folder` and read them as `run` would."""
    text = as_toml(demo_config(plan, port_folder, has_console))
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    save_register(folder / "decks.toml", simulated_register())
    return parse(text, path)


def simulated_register(deck: str = DEFAULT_DECK, technology: Technology = ISO15693) -> Register:
    """The register of the simulated deck of 52 tags of a `technology`."""
    tags = {tag_uid(deck, card, technology=technology): card for card in STANDARD_52}
    return Register((Deck(deck, tags),))


def demo_stage(plan: DemoPlan, port_folder: Path) -> Stage:
    """The simulated table of the same configuration, with its deck shuffled by the seed."""
    table = SimTable(demo_config(plan, port_folder, False), Air(World()))
    rng = random.Random(f"cards {plan.seed}")
    return Stage(table, decks_of((DEFAULT_DECK,)), rng, pace_ms=plan.pace_ms)


def demo_hands(plan: DemoPlan) -> Iterator[ScriptedHand]:
    """The hands that are dealt, in order."""
    slips = errors_of(plan.error, plan.seed)
    script = hands(plan.game, plan.players, plan.players[-1], plan.seed, slips, table_seats=plan.seats)
    for _ in range(plan.hands):
        yield next(script)


def _identity(name: object) -> str:
    return TablelinkDevice(str(name)).device_id


def _numbered(names: list[str]) -> dict[str, str]:
    return {str(number): name for number, name in enumerate(names, start=1)}
