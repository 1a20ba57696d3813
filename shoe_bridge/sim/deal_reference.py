"""An independent reference for the benchmark: the exact posterior of what the dealer did, from every poll.

It decides which errors the sensors can distinguish at all, and from when on. It shares no code with the
bridge's inference and is given more: every poll of every antenna, the true order up to LEAD cards before the
slip, and all the time that it wants. It sums over all explanations with at most two slips, each integrated
over the times of its cards, under the model of `table/deal_model.md`:

- a place of the plan is served, skipped, served twice (`extra`, `stuck`), served by way of another place
  (`wrong`), or changes places with the next (`swap`); a pass may begin elsewhere (`turned`); cards may be
  heard by nobody, also because an antenna is deaf;
- the cards of one place may be any of the tags heard there, each at its own depth of the stack;
- with a shoe, the tags come in the order of the draws.

It is exact but for what is dropped: explanations whose weight, when they have explained as many tags, is
below a ten-millionth of the best one's; tags that lie where no antenna heard them, unless one
beside it heard them once or twice; and the width of the grid (`deal_evidence.CELL_MS`), a sixteenth of a
polling cycle.

The parts of a deal are kept apart by the keys: a street is not thought to begin before the betting round is
closed, but where the slip is just that.
"""

from bisect import bisect_left

import msgspec

from shoe_bridge.sim.deal_evidence import CELL_MS, Chances, Evidence, ReadLog
from shoe_bridge.sim.deal_search import Question, Search
from shoe_bridge.sim.deal_truth import DRAW_TO_PLACE_MS, PASSES, TrueHand, slip_ms

LEAD = 5


class Judgement(msgspec.Struct, frozen=True):
    """`of_truth` is the probability of the true explanation, `of_error` that the deal is not as due."""

    of_truth: float
    of_error: float


class Reference:
    """The posterior of one hand with a slip, at any time. With a shoe the draws are known. The attributes say
    what part of the deal is in question: `plan` the places due, `cards` the true ones, `lying` the places of
    all cards before, `last` the last of those in this part; times are counted in cells."""

    def __init__(self, hand: TrueHand, log: ReadLog, chances: Chances, *, has_shoe: bool = False) -> None:
        self._hand = hand
        self.log = log
        self._chances = chances
        part = hand.slip_part
        cards = [card for card in hand.cards if card.part == part]
        at = (hand.slip_card or cards[-1].number + 1) - cards[0].number
        given = max(0, at - LEAD)
        start, end = hand.part_starts[part], [*hand.part_starts, len(hand.plan)][part + 1]
        self._cards = cards[given:]
        self._plan = hand.plan[start + given : end]
        self._plan_before = hand.plan[start + given - 1] if given else ""
        self._pass_size = (end - start) // PASSES if part == 0 else 0
        self._last = cards[given - 1] if given else None
        self._lying = [card.place for card in hand.cards if card.number < self._cards[0].number]
        keys = [deed.at_ms for deed in hand.deeds if deed.what == "key" and deed.name == "end deal"]
        self._complete_ms = keys[0] if part == 0 else hand.judged_ms
        self._has_shoe = has_shoe

    def at_end(self) -> Judgement:
        """What can be known at the end of the deal."""
        return self.at(self._hand.judged_ms)

    def known_ms(self, certain: float) -> int | None:
        """From which poll on it was known that there is an error, with the probability `certain`; None:
        never."""
        times = self._times()
        if not times or self.at(times[-1]).of_error < certain:
            return None
        return times[bisect_left(times, True, key=lambda at_ms: self.at(at_ms).of_error >= certain)]

    def _times(self) -> list[int]:
        """The polls after which more is known: the reads of the tags concerned, and the end."""
        since_ms, until_ms = slip_ms(self._hand), self._hand.judged_ms
        heard = (self.log.heard.get(card.tag, {}) for card in self._cards)
        reads = {at_ms for places in heard for times in places.values() for at_ms in times[:3]}
        reads.update(self.log.polled["seat 1"])  # hearing nothing tells too: once a cycle
        return [*sorted(at_ms for at_ms in reads if since_ms <= at_ms < until_ms), until_ms]

    def at(self, now_ms: int) -> Judgement:
        """What can be known from all reads up to `now_ms`."""
        if self._hand.slip == "early":  # the key alone tells: a card that was heard before it lies there
            is_heard = any(self.log.first_heard_ms(card.tag, now_ms) is not None for card in self._cards)
            return Judgement(float(is_heard), float(is_heard))
        evidence = Evidence(self.log, self._chances, now_ms)
        question = self._question(evidence, now_ms)
        weights = Search(question, evidence, self._chances).weights()
        total = sum(weights.values())
        if not total:
            return Judgement(0.0, 0.0)
        truth = tuple(card.place for card in self._cards)
        as_due = sum(
            weight
            for places, weight in weights.items()
            if places == (self._plan if question.is_complete else self._plan[: len(places)])
        )
        return Judgement(weights.get(truth, 0.0) / total, 1 - as_due / total)

    def _question(self, evidence: Evidence, now_ms: int) -> Question:
        heard = [(card.tag, self.log.first_heard_ms(card.tag, now_ms)) for card in self._cards]
        draws = tuple((card.tag, (card.at_ms - DRAW_TO_PLACE_MS) // CELL_MS) for card in self._cards)
        last, curve = self._last, None
        if last is not None:
            is_heard = last.place in evidence.places_of(last.tag)
            depth = self._lying.count(last.place)
            curve = evidence.of_card(last.tag if is_heard else None, last.place, depth)
        return Question(
            self._plan,
            self._plan_before,
            self._pass_size,
            tuple(self._lying),
            curve,
            tuple((tag, at_ms // CELL_MS) for tag, at_ms in heard if at_ms is not None),
            draws if self._has_shoe else None,
            now_ms >= self._complete_ms,
        )
