"""The stub is counted: it is said before the street that it cannot serve, and no longer when it can."""

from shoe_bridge.rules.profile_file import open_profile
from shoe_bridge.table.findings import RuleTextMissing

SHORT = RuleTextMissing("stub_short")
NZ = open_profile("nz-1999")


def test_the_last_card_of_a_full_stud_table(fold_of):
    seats = tuple(range(1, 8))
    table = fold_of(NZ, "seven_card_stud", seats, None)
    everybody = [f"seat {seat}" for seat in seats]
    table.deal(*everybody * 3)
    table.play("end deal", "end bet")
    for _ in range(2):
        table.deal("burn", *everybody)
        table.play("end bet")
        assert SHORT not in table.standing()
    table.deal("burn", *everybody)  # 45 cards are out, 7 are left, the last street needs 8
    assert SHORT in table.standing()
    table.play("fold 3")
    assert SHORT not in table.standing()
    assert table.state.hand.round_open


def test_a_draw_that_asks_for_more_than_there_is(fold_of):
    seats = tuple(range(1, 11))
    table = fold_of(NZ, "draw", seats, 10)
    table.deal(*[f"seat {seat}" for seat in seats] * 5)
    table.play("end deal")
    assert SHORT not in table.standing()  # one card is burned, one is left
    table.play("end bet")
    table.deal("burn")
    tags = {card.number: card.tag for card in table.state.hand.cards}
    for number in (1, 11):
        table.discard(tags[number], "seat 1")
    assert SHORT in table.standing()


def test_a_deal_that_the_deck_cannot_serve_at_all(fold_of):
    table = fold_of(NZ, "draw", tuple(range(1, 11)), 10, deck_cards=36)
    table.deal("seat 1")
    assert SHORT in table.standing()


def test_a_short_deck_serves_fewer(fold_of):
    seats = tuple(range(1, 9))
    for cards, is_short in ((52, False), (36, False), (32, True)):
        table = fold_of(NZ, "manila3", seats, 8, deck_cards=cards)
        table.deal(*[f"seat {seat}" for seat in seats] * 3, "board")
        table.play("end deal", "end bet")
        for _ in range(3):
            table.deal("burn", "board")
            table.play("end bet")
        assert (SHORT in table.standing()) is is_short


def test_nothing_is_short_once_the_hand_is_over(fold_of):
    table = fold_of(NZ, "seven_card_stud", (1, 2), None, deck_cards=7)
    table.deal(*["seat 1", "seat 2"] * 3)
    table.play("end deal")
    assert SHORT in table.standing()
    table.play("fold 1")
    assert SHORT not in table.standing()
