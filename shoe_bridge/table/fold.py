"""The fold: one event in, one state out, findings as data.

`apply` is a pure function of the state and the event. What stands about the hand is judged anew from the
hand after each event that touches it, and the difference to what stood before is the outcome: so a finding
that no longer holds is withdrawn by the same rule that raised it, and the same events give the same
findings for ever.
"""

from collections.abc import Callable

import msgspec

from shoe_bridge.table import alerts as alerting
from shoe_bridge.table import doubt, keys, proof
from shoe_bridge.table.book import RuleBook
from shoe_bridge.table.dealing import deal_card, due_face, due_place, is_drawing, move_card
from shoe_bridge.table.deck import DeckWatch
from shoe_bridge.table.findings import AnyFinding, Change, Conclusion, Equipment
from shoe_bridge.table.full_scan import is_every_card_seen
from shoe_bridge.table.hand import BOARD, BURN, MUCK, STUB, Card, Hand
from shoe_bridge.table.identity import Identities
from shoe_bridge.table.inference import Inference
from shoe_bridge.table.judge import judge
from shoe_bridge.table.layout import seat_of
from shoe_bridge.table.observations import (
    AlertOverdue,
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardReadAgain,
    CardStays,
    CardUnread,
    DealerEntered,
    DeviceFaulted,
    Event,
    EventsMissed,
    KeyPressed,
    LinkLost,
    LinkRestored,
    TimePassed,
    time_of,
)
from shoe_bridge.table.regularity import look
from shoe_bridge.table.state import Outcome, Setup, Standing, TableState, start
from shoe_bridge.table.verdict import Judged, Verdict
from shoe_bridge.table.window import Heard

replace = msgspec.structs.replace


class Fold:
    """The fold of one table, given its setup and its rule book."""

    def __init__(self, setup: Setup, book: RuleBook) -> None:
        self.setup = setup
        self.book = book
        self._identities = Identities(setup)
        self._scratch = start(setup)
        self._inference = (
            None if setup.model is None else Inference(setup, setup.model, book, self._replay_key)
        )

    def start(self) -> TableState:
        return start(self.setup)

    def apply(self, state: TableState, event: Event) -> tuple[TableState, Outcome]:
        """Take one event. Events come in the order of their seq; an unknown word changes nothing."""
        seen = event.observation
        step: Callable[..., TableState] | None = _STEPS.get(type(seen))
        before = state
        if step is not None:
            state = step(self, state, seen, event.seq)
        if self._inference is not None and type(seen) in _KEYS and state.hand is not before.hand:
            state = self._inference.keyed(before, state, event)
        if state.hand.cards and not before.hand.cards:
            state = _begun_unseen(state, event.seq)
        state, changes = self._conclude(before, state, event.seq)
        state, alert_changes = self._alert(before, state, changes, event)
        heard = doubt.heard_now(state, seen)
        return replace(state, last_seq=event.seq, heard=heard), Outcome(changes, alert_changes)

    def _conclude(
        self, before: TableState, state: TableState, seq: int
    ) -> tuple[TableState, tuple[Change, ...]]:
        is_as_before = state.hand is before.hand and state.equipment is before.equipment
        if is_as_before and state.following.is_as_told(before.following):
            return state, ()
        hand, verdict = state.hand, self._judged(state)
        stands = verdict.judged
        if verdict.is_erring != state.is_erring:
            state = replace(state, is_erring=verdict.is_erring)
        wanted = {judged.conclusion.finding: judged.certainty for judged in stands}
        had, kept, changes = set[AnyFinding](), [], []
        for old in state.standing:
            if _is_of(old, hand) and wanted.get(old.finding) == old.certainty:
                had.add(old.finding)
                kept.append(old)
            else:
                changes.append(self._change(False, old, seq, (seq,)))
        number = state.next_finding
        for judged in stands:
            conclusion = judged.conclusion
            if conclusion.finding not in had:
                had.add(conclusion.finding)
                new = Standing(number, conclusion.finding, hand.number, judged.certainty)
                number += 1
                kept.append(new)
                changes.append(self._change(True, new, seq, conclusion.evidence, judged.probability))
        if not changes:
            return state, ()
        return replace(state, standing=tuple(kept), next_finding=number), tuple(changes)

    def _judged(self, state: TableState) -> Verdict:
        found = self._of_the_deal(state)
        others = [Judged(conclusion) for conclusion in self._besides(state)]
        if self._inference is None:
            return Verdict([*map(Judged, found), *others])
        verdict = self._inference.judged(state, found)
        return replace(verdict, judged=[*verdict.judged, *others])

    def _replay_key(self, hand: Hand, event: Event) -> Hand:
        """The hand after a key or an entry that was taken before."""
        step = _STEPS[type(event.observation)]
        return step(self, replace(self._scratch, hand=hand), event.observation, event.seq).hand

    def _stands(self, state: TableState) -> list[Conclusion]:
        """All that stands now, with what it rests on."""
        return [*self._of_the_deal(state), *self._besides(state)]

    def _of_the_deal(self, state: TableState) -> list[Conclusion]:
        hand = state.hand
        # what a scan finds is due at once, also while cards are gathered and no deal is judged
        return [*hand.defects] if hand.phase == "gathering" else judge(hand, self.setup.game, self.book)

    def _besides(self, state: TableState) -> list[Conclusion]:
        """What stands whatever the order of the cards was."""
        hand = state.hand
        owed = self.book.owed_after_misdeal(hand.owed) if hand.owed else ()
        stands = [*hand.warnings, *owed, *state.equipment]
        if hand.showdown_seq is not None and (hand.pots or hand.wagers):
            register = self.setup.register
            stands += self.book.settle(hand, self.setup.game, self.setup.money, register.card_of)
        return stands

    def _change(
        self,
        raised: bool,
        standing: Standing,
        seq: int,
        evidence: tuple[int, ...],
        probability: float | None = None,
    ) -> Change:
        book = self.book
        return Change(
            raised,
            standing.number,
            standing.finding,
            seq,
            evidence,
            standing.hand,
            book.profile,
            book.version,
            standing.certainty,
            probability,
        )

    def _alert(
        self, before: TableState, state: TableState, changes: tuple[Change, ...], event: Event
    ) -> tuple[TableState, tuple[alerting.AlertChange, ...]]:
        alerts, told = state.alerts, list[alerting.AlertChange]()
        at_ns = time_of(event.observation)
        withdrawn = {(one.hand, one.finding): one for one in changes if not one.raised}
        told_anew = {
            one.number: was
            for one in changes
            if one.raised and (was := withdrawn.get((one.hand, one.finding))) is not None
        }
        amended = {was.number for was in told_anew.values()}
        for change in (*changes, *self._doubted_anew(before, state, event)):
            if change.number in amended:
                continue
            is_hand_closed = not isinstance(change.finding, Equipment) and change.hand != state.hand.number
            blamed = doubt.blamed_for(state, self.setup.game, change, alerts.doubtful)
            if change.number in told_anew:
                alerts, new = alerting.amend(alerts, told_anew[change.number], change, at_ns, blamed)
            else:
                is_put_right = _was_done(before, state, event, change)
                alerts, new = alerting.follow(alerts, change, is_hand_closed, at_ns, blamed, is_put_right)
            told += new
        if isinstance(event.observation, AlertOverdue):
            alerts, new = alerting.escalate(alerts, event.observation.alert, event.seq)
            told += new
        key = event.observation.key if isinstance(event.observation, KeyPressed) else None
        if key in keys.RULINGS:
            alerts, new = alerting.rule(alerts, keys.RULINGS[key], event.seq)
            told += new
        elif key == "acknowledge":
            alerts, new = alerting.acknowledge(alerts, event.seq)
            told += new
        if state.hand.number != before.hand.number:
            alerts, new = alerting.begin_hand(alerts, event.seq)
            told += new
        if state.is_erring != before.is_erring:
            alerts, new = alerting.weigh_together(alerts, state.hand.number, state.is_erring, event.seq)
            told += new
        if alerts is state.alerts:
            return state, ()
        return replace(state, alerts=alerts), tuple(told)

    def _doubted_anew(self, before: TableState, state: TableState, event: Event) -> list[Change]:
        """Findings that stood before, where the devices in doubt are others now: those that were put down to
        a device, and those that came up since a device that is lost now had said its last word."""
        if before.watch.blind == state.watch.blind and before.gaps is state.gaps:
            return []
        concerned = [old for old in before.standing if doubt.is_concerned(before, old, event)]
        stands = [judged.conclusion for judged in self._judged(state).judged]
        evidence = {conclusion.finding: conclusion.evidence for conclusion in stands}
        return [
            self._change(True, old, event.seq, evidence[old.finding])
            for old in concerned
            if old.hand == state.hand.number and old.finding in evidence
        ]

    # -- cards ------------------------------------------------------------------------------------------

    def _card_arrived(self, state: TableState, seen: CardArrived, seq: int) -> TableState:
        places = state.lies.get(seen.tag, ())
        if seen.place in places:
            return state
        if state.hand.twins:
            state = self._identities.check_twins(state, seen, seq)
        twin = self._identities.twin_of(state, seen)
        state = self._locate(state, seen, places, seq)
        if self._inference is not None:
            state = self._inference.came(state, seen)
        if self._inference is not None and state.following.has_shoe:
            state = self._inference.identified(state, seen.tag, self.setup.register.card_of)
        if self._inference is not None and self._inference.has_open(state, seen.tag):
            if self._inference.is_dealt_to(seen.place):
                is_first = state.following.awaits(seen.tag)
                state = self._inference.dealt(state, seen, seq)
                return self._identities.check(state, seen, seq) if is_first else state
            if self._inference.is_open_stray(state, seen.tag, seen.place):
                return state
            state = self._inference.settled(state)
        card = state.hand.find(seen.tag)
        if card is None:
            return self._card_dealt(state, seen, twin, seq)
        if state.hand.twins and self._identities.is_second(state, seen):
            return state
        if self._inference is not None:
            # reads are counted anew with each stay: those of an earlier one, or an earlier hand, say nothing
            strays = {tag: stray for tag, stray in state.strays.items() if tag != seen.tag}
            if card.at != seen.place:
                strays[seen.tag] = (seen.place, 1)
            state = replace(state, strays=strays) if strays != state.strays else state
            if card.at == seen.place:
                heard = Heard(seen.place, seen.not_after_ns, seq, last_ns=seen.not_after_ns)
                state = self._inference.settled_read(state, seen.tag, heard)
            elif self._inference.is_dealt_to(seen.place):
                heard = Heard(seen.place, seen.not_after_ns, seq, last_ns=seen.not_after_ns)
                doubted = self._inference.heard_elsewhere(state, seen.tag, heard)
                if doubted is not None:
                    return doubted
        if places and seen.place == MUCK and is_drawing(state.hand, self.setup.game):
            return self._thrown_early(state, card)
        if places and state.hand.phase != "gathering":
            # Two antennas see it: a move whose departure is not proven yet, or a cross read. Time will tell.
            return state
        if self._inference is not None and self._inference.is_stray(card, seen.place, 1):
            return state
        return self._card_moved(state, card, seen.place, seq)

    def _locate(self, state: TableState, seen: CardArrived, places: tuple[str, ...], seq: int) -> TableState:
        """The tag lies at one more place. Only where it lies nowhere else is that where its card is."""
        lies = {**state.lies, seen.tag: (*places, seen.place)}
        if seen.place == STUB:
            lies = dict(sorted(lies.items()))  # which tag of the stub was read first is not kept
        drawn = state.drawn and tuple(drawn for drawn in state.drawn if drawn[0] != seen.tag)
        if places:
            return replace(state, lies=lies, drawn=drawn)
        card, before = self._identities.watched(seen.tag), state.watch.unseen
        watch = proof.see(state.watch, card, seen.place, seq, seen.not_after_ns, state.hand.number)
        state = replace(state, lies=lies, drawn=drawn, watch=watch)
        return self._prove(state, seq, seen.not_after_ns) if before and not watch.unseen else state

    def _prove(self, state: TableState, seq: int, at_mono_ns: int) -> TableState:
        """The last card of the deck turned up."""
        if not is_every_card_seen(state, self.setup):
            return state
        return replace(state, watch=proof.prove(state.watch, state.hand, seq, at_mono_ns, "seen"))

    def _card_dealt(self, state: TableState, seen: CardArrived, twin: str | None, seq: int) -> TableState:
        hand = state.hand
        if hand.phase in ("over", "showdown") or seen.place in (STUB, MUCK):
            return state
        if twin is not None:
            return replace(state, hand=replace(hand, twins={**hand.twins, seen.tag: twin}))
        was_lying = seen.not_before_ns <= state.watched_from.get(seen.device, -1)
        if was_lying:
            hand = replace(hand, is_tabled=True)
        if self._inference is None or hand.is_tabled or hand.phase == "gathering":
            state = replace(state, hand=deal_card(hand, self.setup.game, seen.tag, seen.place, seq))
        else:
            state = self._inference.dealt(state, seen, seq)
        if was_lying:
            state = _join_late(state, seen.device, seq)
        state = self._identities.check(state, seen, seq)
        if seen.place == BOARD and state.hand.count_at(BOARD) == self.setup.game.board:
            state = look(state, self.setup, seq)
        return self._check_drawn(state, seq)

    def _card_moved(self, state: TableState, card: Card, place: str, seq: int) -> TableState:
        """A card of this hand is at one place only, and that is `place`: a repair, unless it goes to the
        discards or the hand is over. Off the stub it is a new card off the deck."""
        hand = state.hand
        is_folded = card.at == card.want and seat_of(card.at) in hand.folded
        if place == card.at or hand.phase == "over" or is_folded:
            return state
        if (
            card.at == BURN
            and not card.is_hole
            and place != STUB
            and not any(n == card.number for n, _ in hand.burns_moved)
        ):
            hand = replace(hand, burns_moved=(*hand.burns_moved, (card.number, seq)))
        if hand.phase == "showdown":
            return replace(state, hand=hand)
        if place == MUCK:
            return replace(state, hand=hand if card.tag in hand.thrown else self._discarded(hand, card))
        if card.at == STUB:
            hand = deal_card(hand, self.setup.game, card.tag, place, seq)
        else:
            hand = move_card(hand, self.setup.game, card, place)
        state = replace(state, hand=hand)
        return state if self._inference is None else self._inference.moved(state)

    def _discarded(self, hand: Hand, card: Card) -> Hand:
        """A card went to the discards: in a draw its player is owed another one."""
        seat = seat_of(card.at)
        if seat is None or not is_drawing(hand, self.setup.game):
            return hand
        return replace(hand, discards=(*hand.discards, seat))

    def _thrown_early(self, state: TableState, card: Card) -> TableState:
        """In a draw a card at the discards is thrown away, though its seat has not lost it for sure yet: its
        player's next card may come at once."""
        hand = state.hand
        if card.tag in hand.thrown:
            return state
        return replace(state, hand=replace(self._discarded(hand, card), thrown=(*hand.thrown, card.tag)))

    def _card_departed(self, state: TableState, seen: CardDeparted, seq: int) -> TableState:
        places = state.lies.get(seen.tag, ())
        if seen.place not in places:
            return state
        left = tuple(place for place in places if place != seen.place)
        lies = {**state.lies, seen.tag: left}
        if not left:
            del lies[seen.tag]
        state = replace(state, lies=lies, watch=self._watch_left(state, seen, left, seq))
        if self._inference is not None:
            state = self._inference.left(state, seen, is_nowhere=not left)
        if self._inference is not None and self._inference.has_open(state, seen.tag):
            return self._inference.departed(state, seen)
        card = state.hand.find(seen.tag) if left else None
        if card is None:
            return state
        if self._inference is not None and left[0] != card.at:
            # a neighbour's antenna may hear a card whose own antenna misses it for a while
            where, reads = state.strays.get(seen.tag, ("", 1))
            reads = reads if where == left[0] else 1
            if self._inference.is_stray(card, left[0], reads):
                return replace(state, strays={**state.strays, seen.tag: (left[0], reads)})
        return self._card_moved(state, card, left[0], seq)

    def _card_read_again(self, state: TableState, seen: CardReadAgain, seq: int) -> TableState:
        if self._inference is None:
            return state
        if self._inference.has_open(state, seen.tag):
            return self._inference.read_again(state, seen)
        card = state.hand.find(seen.tag)
        if card is None or card.at == seen.place:
            return self._inference.read_again(state, seen)
        doubted = self._inference.heard_elsewhere(
            state, seen.tag, Heard(seen.place, seen.at_mono_ns, seq, last_ns=seen.at_mono_ns)
        )
        if doubted is not None:
            return doubted
        state = replace(state, strays={**state.strays, seen.tag: (seen.place, seen.reads)})
        is_alone = state.lies.get(seen.tag) == (seen.place,)
        if not is_alone or self._inference.is_stray(card, seen.place, seen.reads):
            return state
        return self._card_moved(state, card, seen.place, seq)

    def _time_passed(self, state: TableState, seen: TimePassed, seq: int) -> TableState:
        return state if self._inference is None else self._inference.passed(state, seen)

    def _watch_left(
        self, state: TableState, seen: CardDeparted, left: tuple[str, ...], seq: int
    ) -> DeckWatch:
        card, watch = self._identities.watched(seen.tag), state.watch
        if not left:
            return proof.leave(watch, card, seen.place, seen.not_before_ns)
        return proof.see(watch, card, left[0], seq, seen.not_after_ns, state.hand.number)

    def _card_stays(self, state: TableState, seen: CardStays, seq: int) -> TableState:
        places = state.lies.get(seen.tag, ())
        card = state.hand.find(seen.tag)
        if card is None or len(places) < 2 or seen.place != card.at:
            return state
        stray = next(place for place in reversed(places) if place != card.at)
        return _note(state, Equipment("cross_read", stray, seen.device), seq)

    def _card_drawn(self, state: TableState, seen: CardDrawn, seq: int) -> TableState:
        tag = seen.tag or self._identities.tag_of(seen.card) or ""
        ahead = len(state.drawn)
        is_unknown = self._identities.is_unknown(seen)
        if is_unknown:
            state = _note(state, Equipment("unknown_tag", None, seen.device), seq)
        if self._inference is not None and is_unknown:
            state = self._inference.drawn_unknown(state, seen.at_mono_ns)
        elif self._inference is not None and tag:
            state = self._inference.drawn(state, seen, tag, seq)
        if not is_unknown:  # that tag need not be the one which the antennas hear of the card
            state = replace(state, drawn=(*state.drawn, (tag, seq)))
        if seen.face != "up" or due_face(state.hand, self.setup.game, ahead) == "up":
            return state
        number = len(state.hand.cards) + ahead + 1
        hand = replace(state.hand, exposures=(*state.hand.exposures, (number, seq)))
        return replace(state, hand=hand)

    def _card_unread(self, state: TableState, seen: CardUnread, seq: int) -> TableState:
        place = due_place(state.hand, self.setup.game)
        state = _note(state, Equipment("unread_card", place, seen.device), seq)
        return state if self._inference is None else self._inference.drawn_unknown(state, seen.at_mono_ns)

    def _check_drawn(self, state: TableState, seq: int) -> TableState:
        """A card that left the shoe before one that has landed, and is itself seen nowhere, is unread."""
        if self._inference is not None or not state.drawn or state.drawn[0][1] > seq:
            return state
        overdue = [drawn for drawn in state.drawn if drawn[0]]
        # The cards of a flop are turned together and may be read in any order.
        is_board = BOARD in (due_place(state.hand, self.setup.game), state.hand.cards[-1].at)
        if len(overdue) < (4 if is_board else 2):
            return state
        state = _note(state, Equipment("unread_card"), overdue[0][1])
        return replace(state, drawn=tuple(d for d in state.drawn if d is not overdue[0]))

    # -- keys and the pad -------------------------------------------------------------------------------

    def _key_pressed(self, state: TableState, seen: KeyPressed, seq: int) -> TableState:
        return keys.press(state, self.setup, seen.key, seq, seen.at_mono_ns)

    def _dealer_entered(self, state: TableState, seen: DealerEntered, seq: int) -> TableState:
        return keys.enter(state, self.setup, seen.word, seen.number, seen.amount, seq)

    # -- devices ----------------------------------------------------------------------------------------

    def _link_lost(self, state: TableState, seen: LinkLost, seq: int) -> TableState:
        if seen.device not in state.unproven:
            state = replace(state, unproven=(*state.unproven, seen.device))
        state = doubt.with_places(state, seen.device, seen.places)
        if seen.places and seen.device not in state.watch.blind:
            state = _with_blind(state, (*state.watch.blind, seen.device))
        return _unverify(state, f"{seen.device} lost: {seen.why}", seen.device, seq)

    def _link_restored(self, state: TableState, seen: LinkRestored, seq: int) -> TableState:
        unproven = tuple(name for name in state.unproven if name != seen.device)
        state = replace(state, unproven=unproven)
        if seen.missed_events != 0 or seen.device not in state.watched_from:
            watched_from = {**state.watched_from, seen.device: seen.at_mono_ns}
            state = replace(state, watched_from=watched_from)
        state = doubt.with_places(state, seen.device, seen.places)
        if seen.missed_events != 0:
            state = _with_gap(state, seen.device)
        if seen.device in state.watch.blind:
            state = _with_blind(state, tuple(name for name in state.watch.blind if name != seen.device))
        if seen.missed_events:
            reason = f"{seen.device} could not replay {seen.missed_events} events"
            return _unverify(state, reason, seen.device, seq)
        return state

    def _events_missed(self, state: TableState, seen: EventsMissed, seq: int) -> TableState:
        state = _with_gap(doubt.with_places(state, seen.device, seen.places), seen.device)
        return _unverify(state, f"{seen.device} lost {seen.count} events on the line", seen.device, seq)

    def _device_faulted(self, state: TableState, seen: DeviceFaulted, seq: int) -> TableState:
        fault = Equipment("device_fault", None, seen.device)
        if not seen.cleared:
            return _note(state, fault, seq)
        return replace(state, equipment=tuple(c for c in state.equipment if c.finding != fault))


_STEPS: dict[type, Callable[..., TableState]] = {
    CardArrived: Fold._card_arrived,
    CardReadAgain: Fold._card_read_again,
    CardStays: Fold._card_stays,
    CardDeparted: Fold._card_departed,
    CardDrawn: Fold._card_drawn,
    CardUnread: Fold._card_unread,
    KeyPressed: Fold._key_pressed,
    DealerEntered: Fold._dealer_entered,
    LinkLost: Fold._link_lost,
    LinkRestored: Fold._link_restored,
    EventsMissed: Fold._events_missed,
    DeviceFaulted: Fold._device_faulted,
    TimePassed: Fold._time_passed,
}
_KEYS = frozenset((KeyPressed, DealerEntered))
_MERE_READS = frozenset((CardReadAgain, CardStays, CardDrawn, TimePassed))


def _was_done(before: TableState, state: TableState, event: Event, change: Change) -> bool:
    """Was what withdrew a finding done at the table, or did a read only tell more about what had been?"""
    seen = event.observation
    if type(seen) in _MERE_READS:
        return isinstance(seen, CardReadAgain) and _was_moved(before, state, seen.tag)
    if isinstance(seen, CardArrived) and before.hand.find(seen.tag) is None:
        return change.certainty == "certain"
    return True


def _was_moved(before: TableState, state: TableState, tag: str) -> bool:
    """Has a settled card gone to another place? One that is open may only be understood otherwise."""
    is_open = before.following.holds(tag) or state.following.holds(tag)
    was, card = before.hand.find(tag), state.hand.find(tag)
    return not is_open and was is not None and card is not None and was.at != card.at


def _is_of(standing: Standing, hand: Hand) -> bool:
    """A finding about the deal ends with its hand; a reading problem is the table's, whatever the hand."""
    return standing.hand == hand.number or isinstance(standing.finding, Equipment)


def _note(state: TableState, finding: Equipment, seq: int) -> TableState:
    if any(conclusion.finding == finding for conclusion in state.equipment):
        return state
    return replace(state, equipment=(*state.equipment, Conclusion(finding, (seq,))))


def _unverify(state: TableState, reason: str, device: str, seq: int) -> TableState:
    """A hand in play that was not wholly seen says so until it ends; between hands nothing is in doubt."""
    if not _is_in_play(state.hand) or reason in state.unverified:
        return state
    state = replace(state, unverified=(*state.unverified, reason))
    return _note(state, Equipment("link_lost", None, device), seq)


def _join_late(state: TableState, device: str, seq: int) -> TableState:
    """A card lay there before its antenna was watched: when and in which order it was dealt is not known."""
    reason = f"the hand had begun before {device} was watched"
    if reason in state.unverified:
        return state
    state = replace(state, unverified=(*state.unverified, reason))
    return _note(state, Equipment("joined_late", None, device), seq)


def _is_in_play(hand: Hand) -> bool:
    return bool(hand.cards) and hand.phase not in ("gathering", "over")


def _begun_unseen(state: TableState, seq: int) -> TableState:
    """The first card that is seen of a hand need not be its first."""
    for name in doubt.devices_in_doubt(state):
        state = _unverify(state, f"{name} was lost when the hand began", name, seq)
    return state


def _with_gap(state: TableState, device: str) -> TableState:
    """From the cut on cards may have been dealt, though none was seen yet."""
    hand = state.hand
    is_due = hand.cut_seq is not None and hand.phase == "ready" and device in state.watch.blind
    if device not in state.served or not (_is_in_play(hand) or is_due):
        return state
    return replace(state, gaps={**state.gaps, device: state.hand.number})


def _with_blind(state: TableState, devices: tuple[str, ...]) -> TableState:
    return replace(state, watch=replace(state.watch, blind=devices))
