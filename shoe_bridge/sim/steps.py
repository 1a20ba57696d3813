"""The steps of a scenario: one line of text each, and the typed action that it stands for.

The grammar is in `tests/scenarios/FORMAT.md`. A step names what physically happens; how that becomes bytes is
the business of `stage`.
"""

import re
from collections.abc import Callable

import msgspec

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.tags import CardRef, parse_card

KEY_NAMES = (
    "shuffle",
    "cut",
    "cut begin",
    "end deal",
    "exposed",
    "boxed",
    "end bet",
    "showdown",
    "push",
    "notice",
    "cannot correct",
    "corrected",
    "supervisor misdeal",
    "supervisor play on",
    "next hand",
    "scan",
    "scan end",
)
GATHERING_KEYS = frozenset({"supervisor misdeal", "next hand"})  # card numbers start again at 1 after these
PLACES = (*(f"seat {n}" for n in range(1, 11)), "board", "burn", "muck", "dealer", "stub")


class UnsupportedStepError(UsageError):
    """A step that the simulated table cannot act out; the text says which and why."""


class Step(msgspec.Struct, frozen=True, tag_field="step"):
    """Base of all steps."""


class Press(Step, frozen=True, tag="press"):
    """A key of the dealer or the supervisor is pressed."""

    key: str


class Enter(Step, frozen=True, tag="enter"):
    """Something is entered on the dealer's pad; `number` is a seat or a card, `amount` is in cents."""

    word: str
    number: int | None = None
    amount: int | None = None


class Deal(Step, frozen=True, tag="deal"):
    """Card `number` off the deck comes to rest at `place`; `card` where the scenario names it; `face` up or
    down."""

    number: int
    place: str
    card: CardRef | None = None
    face: str | None = None


class Move(Step, frozen=True, tag="move"):
    """Card `number` is moved to `place`."""

    number: int
    place: str


class MuckHand(Step, frozen=True, tag="muck"):
    """The hand of a seat goes to the muck."""

    seat: int


class StrayRead(Step, frozen=True, tag="read"):
    """One poll in which the antenna at `place` hears `card`, which stays where it is."""

    card: CardRef
    place: str


class Scan(Step, frozen=True, tag="scan"):
    """The deck is gathered and scanned; `missing` are not seen."""

    missing: tuple[CardRef, ...] = ()


class Hide(Step, frozen=True, tag="unread"):
    """From now on no antenna hears card `number`, or hears it again (`is_seen`)."""

    number: int
    is_seen: bool = False


class Silence(Step, frozen=True, tag="silence"):
    """The antenna at `place` hears nothing from now on, or hears again (`is_over`)."""

    place: str
    is_over: bool = False


class Replug(Step, frozen=True, tag="replug"):
    """A device loses its plug and gets it back 2 s later."""

    device: str


class Wait(Step, frozen=True, tag="wait"):
    duration_ms: int


class LayHand(Step, frozen=True, tag="lay"):
    """The final cards of a place, all at once: a hand tabled, or the whole board."""

    place: str
    cards: tuple[CardRef, ...]


class Pot(Step, frozen=True, tag="pot"):
    """A pot to divide; `seats` contest it (empty: all that are left). `amount` is in cents."""

    amount: int
    seats: tuple[int, ...] = ()


class AtTable(Step, frozen=True, tag="at_table"):
    """What follows is at that one of several linked tables."""

    table: str


class Time(Step, frozen=True, tag="time"):
    """The step that follows happens at this time of the table's wall clock: ms since midnight, UTC."""

    at_wall_ms: int


_SEAT = r"(10|[1-9])"
_PLACE = r"(seat (?:10|[1-9])|board|burn|muck|dealer|stub)"
_AMOUNT = r"(\d+(?:\.\d\d)?)"
_CARD = r"(\S+)"
_NUMBER = r"([1-9]\d{0,2})"
_CLOCK = r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?"

_Maker = Callable[..., Step]


def cents(amount: str) -> int:
    """`12.50` or `12` as cents."""
    whole, _, fraction = amount.partition(".")
    return int(whole) * 100 + int(fraction or 0)


def _act(seat: str, word: str, amount: str | None) -> Step:
    return Enter(word, int(seat), cents(amount) if amount else None)


def _deal(number: str, card: str | None, place: str, face: str | None) -> Step:
    return Deal(int(number), place, parse_card(card) if card else None, face)


def _scan(cards: str) -> Step:
    return Scan(_cards(cards))


def _cards(text: str) -> tuple[CardRef, ...]:
    return tuple(parse_card(card) for card in text.split())


def _hand(seat: str | None, dealer: str | None, cards: str, _: str) -> Step:
    return LayHand(dealer or f"seat {seat}", _cards(cards))


def _pot(amount: str, seats: str, _: str | None) -> Step:
    return Pot(cents(amount), tuple(int(seat) for seat in seats.split()))


def _time(hours: str, minutes: str, seconds: str, fraction: str | None) -> Step:
    whole_s = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return Time(whole_s * 1_000 + int((fraction or "0").ljust(3, "0")))


_GRAMMAR: tuple[tuple[re.Pattern[str], _Maker], ...] = tuple(
    (re.compile(pattern), maker)
    for pattern, maker in (
        (f"deal {_NUMBER}(?: {_CARD})? -> {_PLACE}(?: (up|down))?", _deal),
        (f"move {_NUMBER} -> {_PLACE}", lambda number, place: Move(int(number), place)),
        (f"read {_CARD} -> {_PLACE}", lambda card, place: StrayRead(parse_card(card), place)),
        (f"act {_SEAT} (check|open|call|raise|fold)(?: {_AMOUNT})?", _act),
        (f"blind {_SEAT} {_AMOUNT}", lambda seat, amount: Enter("blind", int(seat), cents(amount))),
        (f"exposed {_NUMBER}", lambda number: Enter("exposed", int(number))),
        (f"show {_SEAT}", lambda seat: Enter("show", int(seat))),
        (f"muck {_SEAT}", lambda seat: MuckHand(int(seat))),
        (f"button -> seat {_SEAT}", lambda seat: Enter("button", int(seat))),
        (f"sit {_SEAT}", lambda seat: Enter("sit", int(seat))),
        (f"leave {_SEAT}", lambda seat: Enter("leave", int(seat))),
        (f"jackpot wager {_SEAT}", lambda seat: Enter("jackpot_wager", int(seat))),
        (f"pot {_AMOUNT}((?: {_SEAT})*)", _pot),
        (f"hand (?:{_SEAT}|(dealer))((?: {_CARD})+)", _hand),
        (f"board((?: {_CARD})+)", lambda cards, _: LayHand("board", _cards(cards))),
        (r"scan missing (\S+(?: \S+)*)", _scan),
        (r"scan complete", Scan),
        (f"unread {_NUMBER}", lambda number: Hide(int(number))),
        (f"seen {_NUMBER}", lambda number: Hide(int(number), is_seen=True)),
        (f"silence {_PLACE}", Silence),
        (f"wake {_PLACE}", lambda place: Silence(place, is_over=True)),
        (r"replug (\S+)", Replug),
        (r"wait (\d{1,7})", lambda duration: Wait(int(duration))),
        (r"at table (\S+)", AtTable),
        (f"time {_CLOCK}", _time),
    )
)


def parse_step(text: str) -> Step:
    """The action that one step line stands for; raises UsageError with the step when it is not of the
    format."""
    if text in KEY_NAMES and text not in ("scan", "scan end"):
        return Press(text)
    for pattern, maker in _GRAMMAR:
        match = pattern.fullmatch(text)
        if match:
            return maker(*match.groups())
    raise UsageError(f"'{text}' is not a step: see the table of steps in tests/scenarios/FORMAT.md")


def cards_named(step: Step) -> tuple[CardRef, ...]:
    """The cards that a step names."""
    if isinstance(step, Deal):
        return (step.card,) if step.card else ()
    if isinstance(step, StrayRead):
        return (step.card,)
    if isinstance(step, Scan):
        return step.missing
    if isinstance(step, LayHand):
        return step.cards
    return ()
