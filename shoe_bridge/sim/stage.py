"""Acting a step out: cards are laid and lifted, keys pressed, plugs pulled, and time passes in between.

Each performance is an iterator that yields how many ms to let pass before the next deed, so that virtual and
real time can drive the same acts.
"""

from collections.abc import Iterable, Iterator
from random import Random

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.steps import (
    GATHERING_KEYS,
    AtTable,
    Deal,
    Enter,
    Hide,
    LayHand,
    Move,
    MuckHand,
    Pot,
    Press,
    Replug,
    Scan,
    Silence,
    Step,
    StrayRead,
    Time,
    UnsupportedStepError,
    Wait,
    cards_named,
)
from shoe_bridge.sim.tags import JOKER, STANDARD_52, CardRef, Decks

KEY_MS = 150  # a press and what follows it on the wire
ENTRY_MS = 50
TRAVEL_MS = 150  # a card's way from one place to another
UNPLUGGED_MS = 2_000
RECOVERY_MS = 2_500  # a link's hello, replay and first polls
DRAW_TO_PLACE_MS = 120


class Stage:
    """One table, its deck, and the hand that is being acted out.

    `sensors` is `antennas`, `shoe` or `shoe+antennas`. `pace_ms` is the time between two cards; None: as long
    as every antenna needs to have seen the card twice.
    """

    def __init__(
        self,
        table: SimTable,
        decks: Decks,
        rng: Random,
        *,
        sensors: str = "antennas",
        pace_ms: int | None = None,
    ) -> None:
        self.table = table
        self._decks = decks
        self._rng = rng
        self._has_shoe = "shoe" in sensors
        self._has_antennas = "antennas" in sensors
        self._pace_ms = pace_ms
        self._named: set[str] = set()
        self._deck: list[str] = []
        self._tag_by_number: dict[int, str] = {}
        self._tag_by_ref: dict[CardRef, str] = {}
        self._replug_at_card: int | None = None
        self._new_deck()

    def reserve(self, steps: Iterable[Step]) -> None:
        """The steps that come next: no card that they name is dealt for an unnamed one."""
        self._named = {card.card for step in steps for card in cards_named(step)}
        self._deck = [card for card in self._deck if card not in self._named]

    def perform(self, step: Step, is_deal_next: bool = False) -> Iterator[int]:
        """Act one step out; yields ms to let pass. `is_deal_next`: another card follows at the dealer's pace.

        Raises UnsupportedStepError on a step that no device can say, UsageError on one that cannot be at this
        point.
        """
        match step:
            case Press(key):
                yield from self._press(key)
            case Enter(word, number, amount):
                self.table.enter(word, number, amount)
                yield ENTRY_MS
            case Deal():
                yield from self._deal(step, is_deal_next)
            case Move(number, place):
                yield from self._move([self._tag(number)], place)
            case MuckHand(seat):
                self.table.enter("muck", seat)
                yield ENTRY_MS
                yield from self._move(list(self.table.world.tags_at(f"seat {seat}")), "muck")
            case StrayRead(card, place):
                self.table.world.stray(self._tag_of(card), place)
                yield self.table.cycle_ms + self.table.settle_ms
            case LayHand(place, cards):
                if place.startswith("seat "):
                    self.table.enter("show", int(place.removeprefix("seat ")))
                    yield ENTRY_MS
                for card in cards:
                    self.table.world.place(self._tag_of(card), place)
                yield 2 * self.table.cycle_ms
            case Pot(amount, seats):
                for seat in seats:
                    self.table.enter("contest", seat)
                    yield ENTRY_MS
                self.table.enter("pot", None, amount)
                yield ENTRY_MS
            case Scan(missing):
                yield from self._scan(missing)
            case Time():
                yield 0  # a label for what is read in the next step, and nothing that a device can tell
            case AtTable(table):
                raise UnsupportedStepError(f"'at table {table}' cannot be simulated: this is one table alone")
            case _:
                yield from self._disturb(step)

    def _disturb(self, step: Step) -> Iterator[int]:
        world = self.table.world
        match step:
            case Hide(number, is_seen):
                (world.reveal if is_seen else world.hide)(self._tag(number))
                yield self.table.cycle_ms
            case Silence(place, is_over):
                (world.wake if is_over else world.silence)(place)
                yield self.table.cycle_ms
            case Replug(name):
                device = self.table.device(name)
                device.unplug()
                yield UNPLUGGED_MS
                device.replug()
                yield RECOVERY_MS
            case Wait(duration_ms):
                yield duration_ms

    # -- keys

    def _press(self, key: str) -> Iterator[int]:
        self.table.press(key)
        yield KEY_MS
        if key in GATHERING_KEYS:
            if self.table.world.lift_all():
                yield self.table.settle_ms
            self._new_deck()
        elif key == "shuffle":
            self._replug_at_card = self._draw_replug()

    def _draw_replug(self) -> int | None:
        """The card of this hand at which a reader loses its plug, at the level of noise that is set."""
        air = self.table.air
        chance = air.level.replug_per_hand
        if chance and air.rng.random() < chance:
            return air.rng.randint(1, 20)
        return None

    # -- cards

    def _new_deck(self) -> None:
        self._deck = [card for card in STANDARD_52 if card not in self._named]
        self._rng.shuffle(self._deck)
        self._tag_by_number.clear()
        self._tag_by_ref.clear()

    def _deal(self, step: Deal, is_deal_next: bool) -> Iterator[int]:
        tag = self._off_the_deck(step)
        if self._has_shoe:
            self.table.draw(tag, step.face or "down", self._printed(tag))
            yield DRAW_TO_PLACE_MS
        self.table.world.place(tag, step.place)
        if self._replug_at_card == step.number:
            yield from self._lose_a_plug()
        seen_ms = 2 * self.table.cycle_ms if self._has_antennas else ENTRY_MS
        if self._pace_ms is None:
            yield seen_ms
        elif is_deal_next:
            yield max(1, self._pace_ms - (DRAW_TO_PLACE_MS if self._has_shoe else 0))
        else:
            yield max(seen_ms, self._pace_ms)

    def _printed(self, tag: str) -> str | None:
        """What a shoe reads off the card: its rank and suit, or nothing."""
        known = self._decks.registered.get(tag)
        return known.card if known is not None and known.card != JOKER else None

    def _lose_a_plug(self) -> Iterator[int]:
        readers = [device for name, device in self.table.devices.items() if name.startswith("reader")]
        self._replug_at_card = None
        if readers:
            device = self.table.air.rng.choice(readers)
            device.unplug()
            yield UNPLUGGED_MS
            device.replug()
            yield RECOVERY_MS

    def _off_the_deck(self, step: Deal) -> str:
        if step.card is not None:
            tag = self._decks.tag_of(step.card, step.number)
            self._tag_by_ref[step.card] = tag
        elif self._deck:
            tag = self._decks.tag_in_use(self._deck.pop())
        else:
            raise UsageError(f"card {step.number} cannot be dealt: the deck is used up")
        self._tag_by_number[step.number] = tag
        return tag

    def _tag(self, number: int) -> str:
        if number not in self._tag_by_number:
            raise UsageError(f"card {number} is not dealt yet")
        return self._tag_by_number[number]

    def _tag_of(self, card: CardRef) -> str:
        return self._tag_by_ref.get(card) or self._decks.tag_of(card, 0)

    def _move(self, tags: list[str], place: str) -> Iterator[int]:
        for tag in tags:
            self.table.world.lift(tag)
        yield TRAVEL_MS
        for tag in tags:
            self.table.world.place(tag, place)
        yield self.table.settle_ms

    def _scan(self, missing: tuple[CardRef, ...]) -> Iterator[int]:
        self.table.press("scan")
        yield KEY_MS
        gathered = dict.fromkeys((*self._decks.tags_in_use(), *self.table.world.lift_all()))
        yield self.table.settle_ms
        unseen = {self._tag_of(card) for card in missing}
        for tag in gathered:
            if tag not in unseen:
                self.table.world.place(tag, "stub")
        yield 2 * self.table.cycle_ms + self.table.deck_ms
        self.table.press("scan end")
        yield KEY_MS
