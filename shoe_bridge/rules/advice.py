"""Advice to the supervisor: which letter of 19.1 holds for this hand now, which does not and why.

Each letter is a function of the hand alone, so advice follows the hand: it stands while its conditions
hold. All of it is advice; only a supervisor declares a misdeal. Where the text says nothing about money,
nothing is said. Sources: NZ Gazette 1999 No. 11, 19.1(a) to (k); readings A1 to A3, A15, A16.
"""

from collections.abc import Iterator

from shoe_bridge.rules.repair import exposed_cards, is_affected_seat_active, repair_moves
from shoe_bridge.table.betting import contributed
from shoe_bridge.table.findings import (
    Conclusion,
    DeckDefect,
    HandDead,
    HandVoid,
    MisdealAdvised,
    NotMisdeal,
    PlayOut,
    RefundAll,
    Repairable,
    ReshuffleRequired,
    RuleTextMissing,
)
from shoe_bridge.table.hand import Hand
from shoe_bridge.table.judge import BOXED_DEFECT
from shoe_bridge.table.layout import seat_of, seat_place
from shoe_bridge.table.money import decimal
from shoe_bridge.table.procedures import DRAW, Procedure

_SUBSTANTIAL = 2  # different players who acted in turn (reading A1)


def advise(hand: Hand, game: Procedure, is_in_order: bool) -> list[Conclusion]:
    """What may be said now, letter by letter."""
    if game.family != "poker":
        return []
    found = [*_exposed_in_the_cut(hand), *_shuffle_and_cut(hand)]
    if not is_in_order:
        found += _initial_deal(hand, game)
    if hand.exposures:
        found += _exposed_in_the_deal(hand, game)
    found += _defective_deck(hand)
    return found


def is_exposure_held(hand: Hand, game: Procedure, number: int) -> bool:
    """The text held says what follows from exposed cards of the draw (19.1(i)) and from a first card
    dealt face up in five card stud (19.1(j), (k)); a single one elsewhere it does not hold."""
    if game.game == "five_card_stud":
        return number <= len(hand.order)
    return game.game == "draw" and number > len(hand.order) * game.passes


def _has_substantial_action(hand: Hand) -> bool:
    return len(hand.acted) >= _SUBSTANTIAL


def _exposed_in_the_cut(hand: Hand) -> Iterator[Conclusion]:
    """(a): one or more cards are exposed while cutting."""
    evidence = tuple(seq for number, seq in hand.exposures if number is None and hand.phase == "cutting")
    if evidence:
        yield Conclusion(MisdealAdvised("19.1(a)"), evidence)
        yield Conclusion(ReshuffleRequired("19.1(a)"), evidence)


def _shuffle_and_cut(hand: Hand) -> Iterator[Conclusion]:
    """(b): not shuffled or not cut before the deal, noticed before substantial action; after it, play on."""
    seq = hand.first_card_seq
    if seq is None or not hand.tracks_shuffle or None not in (hand.shuffle_seq, hand.cut_seq):
        return
    if _has_substantial_action(hand) or hand.play_on_seq is not None:
        yield Conclusion(PlayOut("19.1(b)"), (seq, hand.play_on_seq or hand.acted[1][1]))
    else:
        yield Conclusion(MisdealAdvised("19.1(b)"), (seq,))


def _initial_deal(hand: Hand, game: Procedure) -> Iterator[Conclusion]:
    """(c) to (g): the initial deal does not lie as ordered, from its end on."""
    moves = repair_moves(hand, game)
    if hand.end_deal_seq is None or not moves:
        return
    rule = _letter(hand, game)
    evidence = (*(card.seq for card in hand.cards if card.is_misplaced), hand.end_deal_seq)
    if hand.play_on_seq is not None:
        yield Conclusion(PlayOut(rule), (*evidence, hand.play_on_seq))
    elif hand.over_seq is not None or _has_substantial_action(hand):
        yield from _after_action(hand, game, rule, evidence)
    elif _may_be_put_right(hand, game, moves):
        yield Conclusion(Repairable(rule, moves), evidence)
    else:
        yield Conclusion(MisdealAdvised(rule), evidence)


def _may_be_put_right(hand: Hand, game: Procedure, moves: tuple[str, ...]) -> bool:
    """The working test: no card that would change hands was exposed, no seat concerned has acted, and the
    dealer has not said that it cannot be done."""
    moving = {move.split(" ", 1)[0] for move in moves}
    is_exposed = any(str(number) in moving for number in exposed_cards(hand))
    return hand.cannot_correct_seq is None and not is_exposed and not is_affected_seat_active(hand, moves)


def _letter(hand: Hand, game: Procedure) -> str:
    """The letter of 19.1 that fits: (d) a player left out or an extra hand, (e) a wrong count at the end
    of the deal and (f) later, else (c)."""
    counts = _counts(hand)
    is_extra = any(
        (seat := seat_of(card.at)) is not None and seat not in hand.eligible
        for card in hand.cards
        if card.is_hole and card.is_in_play
    )
    if is_extra or 0 in counts.values():
        return "19.1(d)"
    if any(count != game.passes for count in counts.values()):
        return "19.1(f)" if hand.acted else "19.1(e)"
    return "19.1(c)"


def _counts(hand: Hand) -> dict[int, int]:
    places = [card.at for card in hand.cards if card.is_hole]
    return {seat: places.count(seat_place(seat)) for seat in hand.eligible}


def _after_action(hand: Hand, game: Procedure, rule: str, evidence: tuple[int, ...]) -> Iterator[Conclusion]:
    """After substantial action, or when one player is left: no misdeal; wrong hands are void or dead."""
    wrong = [seat for seat, count in sorted(_counts(hand).items()) if count not in (0, game.passes)]
    if rule in ("19.1(e)", "19.1(f)"):
        yield from _wrong_counts(hand, wrong, evidence)
        return
    if not _has_substantial_action(hand):
        return
    yield Conclusion(NotMisdeal(rule, "substantial_action"), evidence)
    yield Conclusion(PlayOut(rule), evidence)
    if any(seat_of(card.at) not in (None, *hand.eligible) for card in hand.cards if card.is_in_play):
        yield Conclusion(RuleTextMissing("extra_hand_disposal"), evidence)


def _wrong_counts(hand: Hand, wrong: list[int], evidence: tuple[int, ...]) -> Iterator[Conclusion]:
    """(f) limbs 2 and 3: void with its money back if that player has not acted, dead if he has. (g) takes its
    place for the last player left: dead, and all money back."""
    left = hand.remaining()
    if hand.over_seq is not None:
        if left[0] in wrong:
            yield Conclusion(HandDead(left[0], "19.1(g)"), (*evidence, hand.over_seq))
            yield Conclusion(RefundAll("19.1(g)"), (*evidence, hand.over_seq))
        return
    rule = "19.1(f)"
    has_acted = {seat for seat, _ in hand.acted}
    pot = contributed(hand)
    for seat in wrong:
        if seat in has_acted:
            yield Conclusion(HandDead(seat, rule), evidence)
            continue
        refund = contributed(hand, seat)
        yield Conclusion(HandVoid(seat, _decimal(refund), rule), evidence)
        pot = None if pot is None or refund is None else pot - refund
    playing = tuple(sorted(seat for seat in left if seat not in wrong))
    yield Conclusion(PlayOut(rule, playing, _decimal(pot)), evidence)


def _decimal(cents: int | None) -> str | None:
    return None if cents is None else decimal(cents)


def _exposed_in_the_deal(hand: Hand, game: Procedure) -> Iterator[Conclusion]:
    """(i) for draw, (j) and (k) for five card stud; other games' texts say nothing about exposed cards."""
    if hand.play_on_seq is not None:
        return
    if game.game == "draw":
        yield from _exposed_in_draw(hand, game)
    elif game.game == "five_card_stud":
        yield from _face_up_in_stud(hand)


def _exposed_in_draw(hand: Hand, game: Procedure) -> Iterator[Conclusion]:
    size = len(hand.order) * game.passes
    initial = [seq for number, seq in hand.exposures if number is not None and number <= size]
    later = [seq for number, seq in hand.exposures if number is not None and number > size]
    if len(initial) > 1:
        yield Conclusion(MisdealAdvised("19.1(i)"), tuple(initial))
    elif initial:
        yield Conclusion(NotMisdeal("19.1(i)", "one_card"), tuple(initial))
    if later and any(street.target == DRAW for street in game.streets):
        yield Conclusion(NotMisdeal("19.1(i)", "draw"), tuple(later))


def _face_up_in_stud(hand: Hand) -> Iterator[Conclusion]:
    """The first card of each player is meant to be down; the key says which one was seen."""
    first_round = [(number, seq) for number, seq in hand.exposures if number is not None]
    first_round = [each for each in first_round if each[0] <= len(hand.order)]
    evidence = tuple(seq for _, seq in first_round)
    players = {card.at for card in hand.cards if card.number in {number for number, _ in first_round}}
    if not players:
        return
    if len(players) > 1:
        yield Conclusion(MisdealAdvised("19.1(k)"), evidence)
        return
    yield Conclusion(NotMisdeal("19.1(k)", "one_player"), evidence)
    if hand.cannot_correct_seq is not None:
        yield Conclusion(MisdealAdvised("19.1(j)"), (*evidence, hand.cannot_correct_seq))
    elif hand.end_deal_seq is not None:
        yield Conclusion(NotMisdeal("19.1(j)", "corrected"), (*evidence, hand.end_deal_seq))


def _defective_deck(hand: Hand) -> Iterator[Conclusion]:
    """(h): found defective at any time before the dealer pushes the pot. A card of another deck is only known
    for one when somebody has looked at its back."""
    rule, notice, push = "19.1(h)", hand.notice_seq, hand.push_seq
    for defect in hand.defects:
        is_seen = not isinstance(defect.finding, DeckDefect) or defect.finding.reason != "foreign_deck"
        found_seq = defect.evidence[-1] if is_seen else notice
        if found_seq is None:
            continue
        noticed_seq = found_seq if notice is None else min(notice, push or notice)
        if push is None or (found_seq < push and noticed_seq < push and notice is not None and notice < push):
            yield Conclusion(RefundAll(rule), (*defect.evidence, found_seq))
        else:
            yield Conclusion(NotMisdeal(rule, "pot_pushed"), (*defect.evidence, push))
    if len(hand.boxed) >= BOXED_DEFECT:
        seq = hand.boxed[BOXED_DEFECT - 1]
        is_late = push is not None and not (notice is not None and notice < push)
        finding = NotMisdeal(rule, "pot_pushed") if is_late else RefundAll(rule)
        yield Conclusion(finding, (seq,))
