"""True deals for the benchmark: what the dealer did and when, card by card, with at most one slip a hand.

Hold'em at ten seats: two passes, the key `end deal`, then three streets of burn and board, each behind a
betting round and the key `end bet`. The slips are those of `table/deal_model.md`; what they mean is said at
`SLIPS`. Nothing here knows the bridge: what it must conclude is worked out elsewhere, from this truth.

All times are ms of the simulation. A generator with the same seed gives the same hands for ever.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal

import msgspec

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.tags import DEFAULT_DECK, deck_tags

TABLE_SEATS = 10
PASSES = 2
STREETS = (3, 1, 1)
FIRST_HAND_MS = 6_000  # the devices have introduced themselves by then
CYCLE_MS = 400
BET_MS = (3_000, 6_000)  # a betting round
END_DEAL_MS = 2 * CYCLE_MS  # from the last card to the dealer's key
STREET_MS = 300  # from the key `end bet` to the burn
EARLY_MS = 500  # from the opening of a betting round to a street that is dealt in it
KEY_MS = 400
GATHER_MS = 3_000  # all readers have proven the cards gone
DRAW_TO_PLACE_MS = 120
UNPLUGGED_MS = 2_000
RECOVERY_MS = 2_500  # after that the dealer goes on

Pace = tuple[int, int]
PACES: dict[str, Pace] = {"clean": (250, 600), "typical": (250, 600), "poor": (700, 900)}

SLIPS = {
    "skip": "the place that is due gets no card",
    "extra": "the place served last gets another card",
    "stuck": "the place served last gets another card together with its own",
    "wrong": "a card goes to some other place",
    "swap": "a place and the next one are served in the wrong order",
    "turned": "a pass begins at another seat",
    "missing_burn": "a street is dealt without its burn",
    "extra_burn": "a street is dealt behind two burns",
    "early": "a street is dealt while the betting round is open",
}
CLEAN = "none"
PLACES_DEALT_TO = (*(f"seat {seat}" for seat in range(1, TABLE_SEATS + 1)), "board", "burn")


class TrueCard(msgspec.Struct, frozen=True):
    """The `number`-th card off the deck (from 1): it comes to rest at `place` at `at_ms`. `part` is 0 for the
    initial deal, then the number of the street."""

    number: int
    tag: str
    place: str
    at_ms: int
    part: int


class Deed(msgspec.Struct, frozen=True):
    """One thing done at the table: `key` NAME pressed, `draw` TAG from the shoe, `lay` TAG at `place`, all
    cards gathered (`gather`), the device NAME unplugged and plugged in again (`unplug`, `replug`)."""

    at_ms: int
    what: Literal["key", "draw", "lay", "gather", "unplug", "replug"]
    name: str = ""
    place: str = ""


class TrueHand(msgspec.Struct, frozen=True):
    """One hand. `plan` are the places due, in order; `part_starts` the indexes at which its parts begin.

    `slip` is one of SLIPS or CLEAN, `slip_card` the number of the first card that is not as the plan has it
    (None in a clean hand), `slip_part` its part. `judged_ms` is the end of the deal: the betting round behind
    the part with the slip is over (in a clean hand the last one). `deeds` are in order of time, from the
    shuffle to the gathering of the cards.
    """

    number: int
    button: int
    slip: str
    plan: tuple[str, ...]
    part_starts: tuple[int, ...]
    cards: tuple[TrueCard, ...]
    deeds: tuple[Deed, ...]
    judged_ms: int
    slip_card: int | None = None
    slip_part: int = 0

    @property
    def is_clean(self) -> bool:
        return self.slip == CLEAN

    @property
    def ends_ms(self) -> int:
        """When the next hand may begin."""
        return self.deeds[-1].at_ms + GATHER_MS


class Steps(msgspec.Struct, frozen=True):
    """The places that one part of the deal is dealt to. `stuck_at` is the index of a card that comes to rest
    together with the one before it, `slip_at` the index of the first card out of order."""

    places: tuple[str, ...]
    slip_at: int | None = None
    stuck_at: int | None = None


def plan_of(button: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The places due in a hand with the button before seat `button`, and where its parts begin."""
    order = [seat for seat in range(1, TABLE_SEATS + 1) if seat > button]
    order += [seat for seat in range(1, TABLE_SEATS + 1) if seat <= button]
    plan = [f"seat {seat}" for seat in order] * PASSES
    starts = [0]
    for boards in STREETS:
        starts.append(len(plan))
        plan += ["burn", *["board"] * boards]
    return tuple(plan), tuple(starts)


def hands(
    seed: str,
    pace: Pace,
    slips: Sequence[str] = (CLEAN,),
    *,
    has_shoe: bool = False,
    first_button: int = 10,
    readers: Sequence[str] = (),
    replug_per_hand: float = 0.0,
) -> Iterator[TrueHand]:
    """Hands without end, one behind the other at one table, with a slip drawn from `slips` in each (CLEAN:
    none). `first_button` is the button of the first hand; it moves on by one seat each hand. One of `readers`
    loses its plug with the chance `replug_per_hand`. Raises UsageError on a slip that there is not."""
    unknown = [slip for slip in slips if slip not in (*SLIPS, CLEAN)]
    if unknown:
        raise UsageError(f"'{unknown[0]}' is no slip: use one of {', '.join(SLIPS)}")
    rng, plugs = Random(f"truth {seed}"), Random(f"plugs {seed}")
    button, at_ms, number = first_button, FIRST_HAND_MS, 1
    while True:
        loss = None
        if plugs.random() < replug_per_hand and readers:
            loss = (plugs.randint(1, PASSES * TABLE_SEATS), plugs.choice(list(readers)))
        hand = _Dealer(rng, pace, has_shoe, loss).deal(number, button, rng.choice(list(slips)), at_ms)
        yield hand
        at_ms, number = hand.ends_ms, number + 1
        button = button % TABLE_SEATS + 1


def slip_ms(hand: TrueHand) -> int:
    """When the first card out of order came to rest; the last card's time where the slip is that none
    came."""
    number = hand.slip_card or len([card for card in hand.cards if card.part <= hand.slip_part])
    return hand.cards[number - 1].at_ms


class _Dealer:
    """Deals one hand. `loss` is a card and the reader that loses its plug behind it."""

    def __init__(self, rng: Random, pace: Pace, has_shoe: bool, loss: tuple[int, str] | None) -> None:
        self._rng = rng
        self._pace = pace
        self._has_shoe = has_shoe
        self._loss = loss
        self._deck = list(deck_tags(DEFAULT_DECK))
        rng.shuffle(self._deck)
        self._cards: list[TrueCard] = []
        self._deeds: list[Deed] = []
        self._slip_card: int | None = None
        self._judged_ms = 0

    def deal(self, number: int, button: int, slip: str, at_ms: int) -> TrueHand:
        plan, starts = plan_of(button)
        slip_part = self._part_of(slip, len(starts))
        last_part = len(starts) - 1 if slip == CLEAN else slip_part
        for key in ("shuffle", "cut"):
            self._press(key, at_ms)
            at_ms += KEY_MS
        for part in range(last_part + 1):
            dealt = list(plan[starts[part] : [*starts, len(plan)][part + 1]])
            is_slip = slip != CLEAN and part == slip_part
            steps = slipped(dealt, slip, self._rng) if is_slip else Steps(tuple(dealt))
            at_ms = self._deal_part(steps, part, at_ms, is_early=is_slip and slip == "early")
        for key in ("supervisor play on", "acknowledge", "push", "next hand"):
            self._press(key, at_ms)
            at_ms += KEY_MS
        self._deeds.append(Deed(at_ms, "gather"))
        return TrueHand(
            number,
            button,
            slip,
            plan,
            starts,
            tuple(self._cards),
            tuple(sorted(self._deeds, key=lambda deed: deed.at_ms)),
            self._judged_ms,
            self._slip_card,
            slip_part,
        )

    def _part_of(self, slip: str, parts: int) -> int:
        is_of_street = slip in ("missing_burn", "extra_burn", "early")
        return self._rng.randrange(1, parts) if is_of_street else 0

    def _deal_part(self, steps: Steps, part: int, at_ms: int, is_early: bool) -> int:
        """Deal the part and let the betting round behind it pass; gives the time of its end."""
        if part and not is_early:
            self._press("end bet", at_ms)
        at_ms += STREET_MS if part and not is_early else EARLY_MS
        for index, place in enumerate(steps.places):
            if index and index != steps.stuck_at:
                at_ms += self._rng.randint(*self._pace)
            self._lay(place, at_ms, part)
            at_ms += self._lose_plug(at_ms)
            if index == steps.slip_at:
                self._slip_card = len(self._cards)
        at_ms += END_DEAL_MS
        if part == 0:
            self._press("end deal", at_ms)
        self._judged_ms = at_ms + self._rng.randint(*BET_MS)
        return self._judged_ms + KEY_MS

    def _lay(self, place: str, at_ms: int, part: int) -> None:
        tag = self._deck[len(self._cards)]
        self._cards.append(TrueCard(len(self._cards) + 1, tag, place, at_ms, part))
        if self._has_shoe:
            self._deeds.append(Deed(at_ms - DRAW_TO_PLACE_MS, "draw", tag))
        self._deeds.append(Deed(at_ms, "lay", tag, place))

    def _lose_plug(self, at_ms: int) -> int:
        """The dealer waits for so many ms until the reader is back."""
        if self._loss is None or self._loss[0] != len(self._cards):
            return 0
        back_ms = at_ms + UNPLUGGED_MS
        self._deeds += [Deed(at_ms, "unplug", self._loss[1]), Deed(back_ms, "replug", self._loss[1])]
        self._loss = None
        return UNPLUGGED_MS + RECOVERY_MS

    def _press(self, key: str, at_ms: int) -> None:
        self._deeds.append(Deed(at_ms, "key", key))


def slipped(plan: list[str], slip: str, rng: Random) -> Steps:
    """One part of the deal with `slip` in it at a random card."""
    if slip == "early":
        return Steps(tuple(plan), 0)
    if slip == "missing_burn":
        return Steps(tuple(plan[1:]), 0)
    if slip == "extra_burn":
        return Steps((plan[0], *plan), 1, rng.choice((1, None)))
    if slip == "turned":
        return _turned(plan, rng)
    at = rng.randrange(len(plan) - (slip == "swap"))
    if slip == "skip":
        return Steps((*plan[:at], *plan[at + 1 :]), at if at < len(plan) - 1 else None)
    if slip == "wrong":
        other = rng.choice([place for place in PLACES_DEALT_TO if place != plan[at]])
        return Steps((*plan[:at], other, *plan[at + 1 :]), at)
    if slip == "swap":
        return Steps((*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :]), at)
    again = (*plan[: at + 1], plan[at], *plan[at + 1 :])
    return Steps(again, at + 1, at + 1 if slip == "stuck" else None)


def _turned(plan: list[str], rng: Random) -> Steps:
    """One pass is dealt from its j-th place on and round to the ones left out."""
    size = len(plan) // PASSES
    first = rng.randrange(PASSES) * size
    by = rng.randrange(1, size)
    turned = [*plan[first + by : first + size], *plan[first : first + by]]
    return Steps((*plan[:first], *turned, *plan[first + size :]), first)
