"""The linked jackpot: who is paid first, what is paid, when nothing may be said, and when a round ends."""

from collections.abc import Callable

import msgspec
import pytest

from shoe_bridge.rules.linked import TOPIC, LinkedConclusion, conclude
from shoe_bridge.rules.linked_round import Round, TableHand, WallTime, Winner, follow, look
from shoe_bridge.table.findings import Conclusion, DeckDefect, Jackpot, JackpotOrder, Restart, RuleTextMissing
from shoe_bridge.table.hand import Card, Hand, new_hand
from shoe_bridge.table.money import Money

ROYAL, STRAIGHT = "As Ks Qs Js Ts", "5d 6d 7d 8d 9d"
FOURS, FLUSH, NOTHING = "2s 2h 2d 2c Kd", "3d 4d Td Jd Qd", "Ac Kc 9c 3s 3h"
POOL = Money(pool_cents=23_400_00)
MISSING = RuleTextMissing(TOPIC)
S = 1_000_000_000


def hand_of(shows: dict[int, str], wagers: tuple[int, ...] | None = None, number: int = 1, **facts) -> Hand:
    """A hand that is shown: five cards by seat, the tag of a card is the card, events from 11 on."""
    laid = [(seat, card) for seat, held in shows.items() for card in held.split()]
    dealt = tuple(
        Card(n, card, f"seat {seat}", f"seat {seat}", 10 + n) for n, (seat, card) in enumerate(laid, start=1)
    )
    hand = new_hand(number, tuple(shows), None, None, "showdown")
    facts = {"cards": dealt, "showdown_seq": 90, "wagers": tuple(shows) if wagers is None else wagers} | facts
    return msgspec.structs.replace(hand, **facts)


def at(seconds: float, is_trusted: bool = True) -> Callable[[int], WallTime | None]:
    """A table whose events 11 on were read 10 ms apart, the fifth at that time."""
    return lambda seq: WallTime(round(seconds * S) + (seq - 15) * 10_000_000, is_trusted)


def seen(hand: Hand, wall_time_of: Callable[[int], WallTime | None] | None = None) -> TableHand:
    return look(hand, lambda tag: tag, wall_time_of or at(1))


def round_of(**hands: TableHand) -> Round:
    linked = Round(tuple(hands))
    for name, hand in hands.items():
        linked = follow(linked, name, hand)
    return linked


def found(linked: Round, money: Money = POOL, is_text_held: bool = False) -> list:
    return [conclusion.finding for conclusion in conclude(linked, money, is_text_held)]


def winner(at_s: float | None, five: str = STRAIGHT, seat: int = 2) -> Winner:
    return Winner(seat, tuple(five.split()), 15, None if at_s is None else round(at_s * S))


def shown(*winners: Winner, number: int = 1) -> TableHand:
    return TableHand(number, "shown", showdown_seq=90, winners=winners)


# -- one table's hand


def test_a_hand_is_whole_when_its_last_card_is_read():
    swapped = {11: 4, 12: 9, 13: 1, 14: 2, 15: 3}  # the second card came last
    hand = seen(hand_of({2: STRAIGHT}), lambda seq: WallTime(swapped[seq] * S))
    assert hand == TableHand(1, "shown", False, 90, (Winner(2, tuple(STRAIGHT.split()), 12, 9 * S),))


@pytest.mark.parametrize("lost", [11, 15])
def test_a_hand_with_one_reading_of_unknown_time_has_no_time(lost: int):
    hand = seen(hand_of({2: STRAIGHT}), lambda seq: None if seq == lost else WallTime(S))
    assert hand.winners == (Winner(2, tuple(STRAIGHT.split()), 15, None),)
    untrusted = seen(hand_of({2: STRAIGHT}), lambda seq: WallTime(S, is_trusted=seq != lost))
    assert untrusted == hand


def test_only_hands_that_win_with_a_wager_and_were_not_folded_are_kept():
    cards = {1: ROYAL, 2: STRAIGHT, 3: NOTHING, 4: FOURS}
    hand = seen(hand_of(cards, wagers=(1, 3, 4), folded=(1,)))
    assert [winner.seat for winner in hand.winners] == [4]


@pytest.mark.parametrize(
    ("facts", "stage"),
    [
        ({}, "shown"),
        ({"showdown_seq": None, "phase": "dealt"}, "waiting"),
        ({"wagers": ()}, "out"),
        ({"folded": (2,)}, "out"),
        ({"wagers": (), "cards": (), "phase": "ready"}, "waiting"),
        ({"defects": (Conclusion(DeckDefect("joker"), (12,)),)}, "unclear"),
        (
            {"cards": (Card(1, "9d", "seat 2", "seat 2", 11), Card(2, "9d", "seat 3", "seat 3", 12))},
            "unclear",
        ),
    ],
)
def test_the_stage_of_a_hand(facts: dict, stage: str):
    assert seen(hand_of({2: STRAIGHT}, **facts)).stage == stage


def test_a_card_that_is_not_known_makes_the_hand_unclear():
    hand = hand_of({2: STRAIGHT})
    assert look(hand, lambda tag: None if tag == "7d" else tag, at(1)).stage == "unclear"


# -- two tables


def test_the_earlier_table_is_paid_first_and_the_other_from_what_is_left():
    linked = round_of(A=seen(hand_of({2: STRAIGHT}), at(76_443.2)), B=seen(hand_of({6: ROYAL}), at(76_442.9)))
    assert conclude(linked, POOL, False) == [
        LinkedConclusion(JackpotOrder(("B", "A"), ("21:14:02.900", "21:14:03.200")), (("A", 15), ("B", 15))),
        LinkedConclusion(MISSING, (("A", 15), ("B", 15))),
        LinkedConclusion(
            Jackpot({"B:6": "23400.00", "A:2": "1000.00"}, "1000.00", "0.00", order=("B", "A")),
            (("A", 90), ("B", 90)),
        ),
    ]
    turned = round_of(A=seen(hand_of({2: STRAIGHT}), at(1)), B=seen(hand_of({6: ROYAL}), at(1.001)))
    paid = Jackpot({"A:2": "2340.00", "B:6": "21060.00"}, "0.00", "0.00", order=("A", "B"))
    assert found(turned) == [JackpotOrder(("A", "B"), ("00:00:01.000", "00:00:01.001")), MISSING, paid]


def test_a_profile_that_holds_the_text_does_not_miss_it():
    linked = round_of(A=shown(winner(1)), B=shown(winner(2)))
    assert [type(finding) for finding in found(linked, is_text_held=True)] == [JackpotOrder, Jackpot]


def test_without_a_pool_the_order_is_proposed_all_the_same():
    linked = round_of(A=shown(winner(1)), B=shown(winner(2)))
    assert [type(finding) for finding in found(linked, Money())] == [JackpotOrder, RuleTextMissing]


def test_a_single_table_that_wins_needs_no_order():
    """Not even a time."""
    linked = round_of(A=shown(winner(None, FOURS)), B=shown(), C=seen(hand_of({1: NOTHING}, wagers=())))
    assert found(linked) == [Jackpot({"A:2": "500.00"}, "0.00", "22900.00", order=("A",))]
    assert found(round_of(A=shown(), B=shown())) == []


def test_a_pool_in_two_parts():
    linked = round_of(A=shown(winner(2, FOURS)), B=shown(winner(1, STRAIGHT)))
    money = Money(pool_major_cents=40_000_00, pool_minor_cents=400_00)
    paid = found(linked, money)[-1]
    assert paid == Jackpot(
        {"B:2": "4000.00", "A:2": "500.00"}, "100.00", None, "36000.00", "0.00", order=("B", "A")
    )


def test_a_fraction_of_a_cent_is_shown_as_the_profile_reads_it():
    linked = round_of(A=shown(winner(1)), B=shown())
    by_reading = {
        rounding: conclude(linked, Money(pool_cents=20_000_05), False, rounding)[0].finding
        for rounding in ("nearest", "down", "up")
    }
    assert by_reading["nearest"] == by_reading["up"]
    assert by_reading["up"] == Jackpot(
        {"A:2": "2000.01"}, "0.00", "18000.05", order=("A",), has_fraction=True
    )
    assert by_reading["down"].awards == {"A:2": "2000.00"}


# -- where the times do not tell the tables apart


@pytest.mark.parametrize(
    ("of_a", "of_b"),
    [
        ((winner(1),), (winner(1, ROYAL),)),
        ((winner(None),), (winner(1, ROYAL),)),
        ((winner(1),), (winner(None, ROYAL),)),
        ((winner(1), winner(3, FOURS, 3)), (winner(2, ROYAL),)),
        ((winner(1), winner(2, FOURS, 3)), (winner(2, ROYAL),)),
        ((winner(1), winner(None, FOURS, 3)), (winner(2, ROYAL),)),
    ],
    ids=["same", "no time at A", "no time at B", "between", "touching", "half known"],
)
def test_no_order_and_no_figures_that_hang_on_it(of_a: tuple[Winner, ...], of_b: tuple[Winner, ...]):
    assert found(round_of(A=shown(*of_a), B=shown(*of_b))) == [MISSING]


def test_figures_that_no_order_changes_are_given_without_one():
    linked = round_of(A=shown(winner(1, FLUSH)), B=shown(winner(1, FOURS)))
    assert found(linked) == [MISSING, Jackpot({"A:2": "100.00", "B:2": "500.00"}, "0.00", "22800.00")]
    assert found(linked, Money(pool_cents=400_00))[-1] == Jackpot(
        {"A:2": "100.00", "B:2": "500.00"}, "200.00", "0.00"
    )
    floors = round_of(A=shown(winner(1, STRAIGHT)), B=shown(winner(1, STRAIGHT)))
    assert found(floors, Money(pool_cents=5_000_00))[-1] == Jackpot(
        {"A:2": "1000.00", "B:2": "1000.00"}, "0.00", "3000.00"
    )


def test_only_orders_that_the_times_leave_must_agree():
    """A royal flush takes all first, and whoever of the others comes next gets the same. Were it as late as
    they, the figures would hang on the order."""
    first = shown(winner(1, ROYAL))
    linked = round_of(A=first, B=shown(winner(2, FOURS)), C=shown(winner(2, FLUSH)))
    assert found(linked) == [
        MISSING,
        Jackpot({"A:2": "23400.00", "B:2": "500.00", "C:2": "100.00"}, "600.00", "0.00"),
    ]
    tied = round_of(A=shown(winner(2, ROYAL)), B=shown(winner(2, FOURS)), C=shown(winner(2, FLUSH)))
    assert found(tied) == [MISSING]


def test_many_tables_at_one_time_are_left_to_the_supervisor():
    names = "ABCDEFG"
    tied = round_of(**{name: shown(winner(1, FOURS)) for name in names})
    assert found(tied) == [MISSING]
    six = round_of(**{name: shown(winner(1, FOURS)) for name in names[:6]})
    assert [type(finding) for finding in found(six)] == [RuleTextMissing, Jackpot]
    apart = round_of(**{name: shown(winner(n, FOURS)) for n, name in enumerate(names)})
    assert found(apart)[0].tables == tuple(names)


def test_nothing_is_said_while_a_hand_is_unclear():
    linked = round_of(A=shown(winner(1, ROYAL)), B=TableHand(1, "unclear"))
    assert linked.is_complete
    assert found(linked) == []
    assert found(follow(linked, "B", shown()))[-1].awards == {"A:2": "23400.00"}


# -- from round to round


def waiting(number: int) -> TableHand:
    return TableHand(number, "waiting")


def test_nothing_is_said_before_all_have_shown():
    linked = Round(("A", "B"))
    assert found(follow(linked, "A", shown(winner(1)))) == []
    linked = follow(follow(linked, "A", shown(winner(1))), "B", waiting(1))
    assert found(linked) == []
    linked = follow(linked, "B", TableHand(1, "out"))
    assert found(linked)[-1].awards == {"A:2": "2340.00"}
    assert not round_of(A=TableHand(1, "out"), B=TableHand(1, "out")).is_complete


def test_a_hand_that_was_shown_waits_though_its_table_goes_on():
    linked = follow(round_of(A=shown(winner(1, ROYAL)), B=waiting(1)), "A", waiting(2))
    linked = follow(linked, "A", shown(winner(5, ROYAL), number=2))
    assert not linked.is_complete
    linked = follow(linked, "B", shown(winner(2, FOURS)))
    assert found(linked)[-1].awards == {"A:2": "23400.00", "B:2": "500.00"}
    assert follow(linked, "A", shown(winner(5, ROYAL), number=2)) == linked


def test_a_round_ends_with_the_next_hand_of_a_table_and_pays_nothing_twice():
    linked = round_of(A=shown(winner(1, ROYAL)), B=shown(winner(2, FOURS)))
    linked = follow(linked, "A", waiting(2))
    assert found(linked) == []
    linked = follow(linked, "B", shown(winner(2, FOURS)))  # it has not gone on yet
    linked = follow(linked, "A", shown(winner(9, FLUSH), number=2))
    assert found(linked) == []
    linked = follow(linked, "B", shown(number=2))
    assert found(linked) == [Jackpot({"A:2": "100.00"}, "0.00", "23300.00", order=("A",))]


def test_a_table_that_went_on_early_ends_the_round_with_the_hand_after():
    linked = follow(round_of(A=shown(winner(1)), B=waiting(1)), "A", waiting(2))
    linked = follow(linked, "B", shown())
    assert found(linked) != []
    linked = follow(linked, "A", waiting(3))
    assert found(linked) == []
    assert linked.closed == {"A": 1, "B": 1}


def test_a_table_with_nothing_at_stake_ends_no_round():
    linked = round_of(A=shown(winner(1)), B=TableHand(1, "out"))
    assert follow(linked, "B", waiting(2)) == linked
    not_yet = round_of(A=waiting(1), B=TableHand(1, "out"))
    assert follow(not_yet, "B", waiting(2)).hands["B"] == waiting(2)


def test_a_misdeal_takes_the_hand_out_of_the_round():
    redeal = seen(
        hand_of({}, wagers=(), number=2, showdown_seq=None, owed=(Conclusion(Restart(2, None), (95,)),))
    )
    assert redeal.is_redeal
    for other in (shown(winner(2, FOURS)), waiting(1)):
        linked = follow(round_of(A=shown(winner(1, ROYAL)), B=other), "A", redeal)
        assert linked.hands["A"] == redeal
        assert found(linked) == []
    linked = follow(follow(linked, "B", shown(winner(2, FOURS))), "A", shown(number=2))
    assert found(linked)[-1].awards == {"B:2": "500.00"}


def test_a_misdeal_in_a_later_hand_leaves_the_hand_that_waits():
    linked = follow(round_of(A=shown(winner(1, ROYAL)), B=waiting(1)), "A", waiting(2))
    linked = follow(linked, "A", TableHand(3, "waiting", is_redeal=True))
    linked = follow(linked, "B", shown())
    assert found(linked)[-1].awards == {"A:2": "23400.00"}


def test_following_the_same_hand_twice_changes_nothing():
    linked = round_of(A=shown(winner(1)), B=waiting(1))
    assert follow(linked, "A", shown(winner(1))) is linked
    assert msgspec.json.decode(msgspec.json.encode(linked), type=Round) == linked
