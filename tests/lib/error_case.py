"""One table at which one error is made: what must be said, when, and how the table goes on after it.

A case plays with a dealer, folds what the sensors say after each deed, and notes everything that should have
been concluded and was not, or was concluded and should not have been.
"""

from collections.abc import Callable, Collection, Sequence
from random import Random
from typing import Any

import msgspec
from deal_oracle import Verdict, Want
from game_sheets import whole_board
from honest_dealer import Dealer
from watched_table import WatchedTable

from shoe_bridge.table.findings import AnyFinding, Change
from shoe_bridge.table.light_state import LightState

LAWFUL = frozenset({"deal_ok", "substantial_action", "hand_over"})
# What an error that has been made may still bring with it: later cards look shifted, advice follows.
ECHOES = frozenset(
    {
        "order_error",
        "count_error",
        "dealt_out",
        "extra_hand",
        "missing_burn",
        "premature_card",
        "exposed_card",
        "rule_text_missing",
        "repairable",
        "misdeal_advised",
        "not_misdeal",
        "play_out",
        "hand_void",
        "hand_dead",
        "refund_all",
    }
)
# When the supervisor has let the hand play on, the same error is not advised on again.
PLAYED_ON = frozenset({"play_out", "not_misdeal", "rule_text_missing"})


class Case:
    """`wrong` is empty as long as all was concluded as it must be."""

    def __init__(self, rng: Random, dealer: Dealer) -> None:
        self.rng = rng
        self.dealer = dealer
        self.table = WatchedTable(dealer.setup)
        self.wrong: list[str] = []
        self.may_follow: set[str] = set()  # kinds that may be raised when this error is played on with

    # -- what was concluded

    def fold(self) -> list[Change]:
        return self.table.take(self.dealer.felt.take())

    def calm(self, also: Collection[str] = ()) -> None:
        """What was said since the last look raised nothing but the lawful, and `also`."""
        for change in self.fold():
            kind = as_dict(change.finding)["kind"]
            if change.raised and kind not in LAWFUL and kind not in also:
                self._note(f"event {change.seq} raised {change.finding}")

    def raised(self, *wants: Want, also: Collection[str] = ()) -> None:
        """What was said since the last look raised these, and of other kinds only the lawful and `also`."""
        found = [as_dict(change.finding) for change in self.fold() if change.raised]
        for want in wants:
            if not any(_fits(finding, want) for finding in found):
                self._note(f"not raised: {want}, but {found}")
        kinds = {want["kind"] for want in wants}
        for finding in found:
            kind = finding["kind"]
            if kind in LAWFUL or kind in also:
                continue
            if kind not in kinds or not any(_fits(finding, want) for want in wants):
                self._note(f"raised beside {list(wants)}: {finding}")

    def stands(self, *wants: Want) -> None:
        found = [as_dict(finding) for finding in self.table.standing()]
        for want in wants:
            if not any(_fits(finding, want) for finding in found):
                self._note(f"does not stand: {want}, but {found}")

    def stands_only(self, kind: str, wants: Sequence[Want]) -> None:
        """The findings of this kind that stand are these."""
        found = [as_dict(f) for f in self.table.standing() if as_dict(f)["kind"] == kind]
        if len(found) != len(wants) or not all(any(_fits(f, want) for f in found) for want in wants):
            self._note(f"of {kind} must stand {list(wants)}, but {found}")

    def stands_none(self, *kinds: str) -> None:
        for finding in self.table.standing():
            if as_dict(finding)["kind"] in kinds:
                self._note(f"still stands: {finding}")

    def _note(self, text: str) -> None:
        self.wrong.append(f"after card {len(self.dealer.dealt)}: {text}")

    # -- hands without a slip

    def clean_hand(self) -> None:
        self.dealer.hand()
        self.must_be_clean()

    def must_be_clean(self) -> None:
        """A hand has been played that nothing may be said of."""
        self.calm()
        stands, must = self.table.standing(), self.dealer.conclusions()
        if sorted(map(str, stands)) != sorted(map(str, must)):
            self._note(f"stand {stands}, must {must}")
        state = self.table.state
        if state.alerts.open or state.light is not LightState.ALL_WELL:
            self._note(f"a clean hand ends with the light {state.light} and {state.alerts.open}")

    # -- the initial deal with a slip in it

    def deal_places(self, places: Sequence[str], slip_card: int, *wants: Want) -> None:
        """The cards go there; all is calm until `slip_card`, at which `wants` are raised and nothing else."""
        for number, place in enumerate(places, start=1):
            self.dealer.deal(place)
            if number < slip_card:
                self.calm()
            elif number == slip_card:
                self.raised(*wants, also=self.accompanying)
            else:
                self.calm(also=ECHOES)

    @property
    def accompanying(self) -> tuple[str, ...]:
        """What an error always brings: in a game whose rules on it are not held, that they are not."""
        sheet = self.dealer.sheet
        none_due = (
            ("count_error",) if whole_board(sheet) == 0 else ()
        )  # of a board that the game does not have
        return none_due if sheet.is_poker else ("rule_text_missing", *none_due)

    def end_deal(self, verdict: Verdict, can_be_moved: bool = True) -> None:
        """The deal is called complete: counts and advice are due, exactly."""
        self.dealer.end_deal()
        self.calm(also=ECHOES)
        seats: list[Want] = [
            {"kind": "count_error", "place": p, "got": got, "want": want}
            for p, (got, want) in verdict.counts.items()
        ]
        found = [f for f in map(as_dict, self.table.standing()) if f["kind"] == "count_error"]
        found = [f for f in found if f["place"] != "board"]
        if len(found) != len(seats) or not all(any(_fits(f, want) for f in found) for want in seats):
            self._note(f"counts must be {seats}, but {found}")
        self.stands_only("dealt_out", [{"kind": "dealt_out", "seat": seat} for seat in verdict.dealt_out])
        self.stands_only("extra_hand", [{"kind": "extra_hand", "seat": seat} for seat in verdict.extra_hands])
        self.stands_none("deal_ok")
        if verdict.rule is None:
            self.stands({"kind": "rule_text_missing", "topic": "caribbean_irregularity"})
            self.stands_none("repairable", "misdeal_advised")
        elif can_be_moved:
            repair: Want = {"kind": "repairable", "rule": verdict.rule, "moves": verdict.moves}
            self.stands_only("repairable", [repair])
            self.stands_none("misdeal_advised")
        else:
            self.stands_none("repairable")
            self.stands({"kind": "misdeal_advised", "rule": verdict.rule})

    # -- what people do about it

    def settle(self, verdict: Verdict, plan: list[str]) -> None:
        """The deal is put right, or is found to be past it and ruled on, or the supervisor rules at once."""
        ways: list[Callable[[], None]] = [self.misdeal, lambda: self.play_on(0)]
        if verdict.rule is not None:
            ways += [lambda: self._put_right(verdict, plan), lambda: self._find_late(verdict)]
            ways.append(lambda: self._give_up(verdict))
        self.rng.choice(ways)()

    def rule(self, next_street: int) -> None:
        """The supervisor rules either way on an error that was made before street `next_street`."""
        if self.rng.random() < 0.5:
            self.misdeal()
        else:
            self.play_on(next_street)

    def _give_up(self, verdict: Verdict) -> None:
        self.dealer.felt.press("cannot correct")
        self.calm(also=ECHOES)
        self.stands({"kind": "misdeal_advised", "rule": verdict.rule})
        self.stands_none("repairable")
        self.rule(0)

    def _put_right(self, verdict: Verdict, plan: list[str]) -> None:
        """The moves are carried out in any order, the cards still to be dealt last."""
        dealer = self.dealer
        moves = [move.split(" -> ") for move in sorted(verdict.moves) if not move.startswith("next")]
        back = sorted((int(number) for number, place in moves if place == "stub"), reverse=True)
        self.rng.shuffle(moves)
        for number, place in moves:
            dealer.felt.lay(dealer.tags[int(number) - 1], place)
            self.calm(also=ECHOES)
        dealer.deck += [dealer.tags[number - 1] for number in back]
        for place in plan[len(dealer.dealt) :]:
            dealer.deal(place)
            self.calm(also=ECHOES)
        dealer.dealt = list(plan)
        self.stands_none(*ECHOES - {"rule_text_missing"})
        self.stands({"kind": "deal_ok", "cards": len(plan), "burns": 0})
        if self.rng.random() < 0.5:
            dealer.felt.press("corrected")
        self._play_out(0)
        dealer.felt.press("acknowledge")
        self.must_be_clean()

    def _find_late(self, verdict: Verdict) -> None:
        """Two players act first: no misdeal any more. A wrong hand is void, dead if its player has acted."""
        dealer = self.dealer
        first = dealer.turn
        seats = [first, *(seat for seat in dealer.order if seat != first)]
        start = dealer.order.index(first)
        seats = (dealer.order[start:] + dealer.order[:start])[:2]
        for seat in seats:
            dealer.act(seat, "call", 200)
        dealer.felt.press("notice")
        self.calm(also=ECHOES)
        self.stands_none("repairable", "misdeal_advised")
        wrong_hands = sorted(int(p.removeprefix("seat ")) for p in verdict.counts if p != "dealer")
        if verdict.rule != "19.1(e)":
            self.stands({"kind": "not_misdeal", "rule": verdict.rule, "why": "substantial_action"})
            self.stands({"kind": "play_out", "rule": verdict.rule})
        else:
            dead = [seat for seat in wrong_hands if seat in seats]
            void = [seat for seat in wrong_hands if seat not in seats]
            refunds = {seat: dealer.paid.get(seat, 0) for seat in void}
            pot = sum(dealer.paid.values()) - sum(refunds.values())
            rule = "19.1(f)"
            self.stands_only("hand_dead", [{"kind": "hand_dead", "seat": s, "rule": rule} for s in dead])
            self.stands_only(
                "hand_void",
                [
                    {"kind": "hand_void", "seat": s, "rule": rule, "refund": money(c)}
                    for s, c in refunds.items()
                ],
            )
            playing = sorted(set(dealer.order) - set(wrong_hands))
            self.stands({"kind": "play_out", "rule": rule, "seats": playing, "pot": money(pot)})
        self.play_on(0)

    def misdeal(self) -> None:
        """The supervisor declares a misdeal: the same player first, a new shuffle and cut, a clean deal."""
        dealer = self.dealer
        dealer.at_card = lambda number: None
        dealer.felt.press("supervisor misdeal")
        dealer.take_out_odd_cards()
        self.calm(also=("restart", "reshuffle_required"))
        self.stands(
            {"kind": "restart", "first": dealer.order[0], "button": dealer.button},
            {"kind": "reshuffle_required"},
        )
        self.stands_none(*ECHOES, "deck_defect")
        dealer.deal_again()
        self.calm()
        self.stands_none("restart", "reshuffle_required")
        dealer.deal_initial()
        self._play_out(0)
        self.must_be_clean()

    def play_on(self, next_street: int) -> None:
        """The supervisor lets the hand go on: nothing new may be said of it."""
        self.dealer.felt.press("supervisor play on")
        self.calm(also=PLAYED_ON)
        self.stands_none("misdeal_advised", "repairable")
        self._play_out(next_street)
        self.calm(also=PLAYED_ON | self.may_follow)
        if self.may_follow:
            self.dealer.felt.press("supervisor play on")  # on that too

    def _play_out(self, next_street: int) -> None:
        dealer = self.dealer
        dealer.at_card = lambda number: None
        dealer.keeps = 1
        dealer.play_streets(next_street)
        dealer.finish()
        dealer.take_out_odd_cards()


def as_dict(finding: AnyFinding) -> dict[str, Any]:
    """A finding with its kind, as it goes out; keys at their default are left out."""
    found: dict[str, Any] = msgspec.to_builtins(finding)
    return found


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _fits(finding: dict[str, Any], want: Want) -> bool:
    for key, value in want.items():
        got = finding.get(key)
        if isinstance(value, set):
            got = set(got or ())
        elif isinstance(value, list):
            got = list(got or ())
        if got != value:
            return False
    return True
