"""The shoe draws a card and does not tell which: equipment, and nothing about the order of the deal."""

from typing import Any

import pytest
from read_deal import NS_PER_MS, ReadTable, two_passes

from shoe_bridge.table.deck import Register
from shoe_bridge.table.findings import CountError, DealOk, Equipment, ExposedCard, MisdealAdvised, OrderError
from shoe_bridge.table.observations import CardArrived, CardDrawn, CardUnread

SHOE = Equipment("unknown_tag", None, "shoe-1")
STRANGE = "E004FFFF0000{:04X}"


def draw(table: Any, tag: str, at_ms: int = 0, face: str | None = None) -> None:
    table.take(CardDrawn(at_ms * NS_PER_MS, "shoe-1", tag, face=face))


def dealt_with(strange: set[int], *, is_unread: bool = False) -> ReadTable:
    """A clean initial deal in which the shoe names the tags of those cards wrongly, or cannot read them."""
    table = ReadTable()
    for number, place in enumerate(two_passes(table), start=1):
        if number in strange and is_unread:
            table.take(CardUnread(table.now_ms * NS_PER_MS, "shoe-1"))
        elif number in strange:
            draw(table, STRANGE.format(number), table.now_ms)
        else:
            table.draw(number)
        table.lay(place, pace_ms=600)
    table.press("end deal")
    table.run_for(2_000)
    return table


@pytest.mark.parametrize("strange", [set(range(1, 9)), {1}, {3}, {2, 3}, {5, 6, 7}, {8}])
def test_a_clean_deal_stays_clean_whatever_the_shoe_misreads(strange: set[int]) -> None:
    table = dealt_with(strange)
    assert table.standing(Equipment) == [SHOE]
    raised = [change.finding for change in table.changes if change.raised and change.certainty == "certain"]
    assert not [one for one in raised if isinstance(one, OrderError | MisdealAdvised)]
    assert table.standing(DealOk)
    assert table.places == two_passes(table)


@pytest.mark.parametrize("unread", [{1}, {3}, {2, 3}, {8}, set(range(1, 9))])
def test_a_clean_deal_stays_clean_whatever_the_shoe_cannot_read(unread: set[int]) -> None:
    table = dealt_with(unread, is_unread=True)
    assert {one.cause for one in table.standing(Equipment) if isinstance(one, Equipment)} == {"unread_card"}
    raised = [change.finding for change in table.changes if change.raised and change.certainty == "certain"]
    assert not [one for one in raised if isinstance(one, OrderError | CountError | MisdealAdvised)]
    assert table.standing(DealOk)
    assert table.places == two_passes(table)


@pytest.mark.parametrize("silent", [{2}, {3}, {2, 3}, {5}, {7}])
def test_a_clean_deal_stays_clean_where_the_shoe_says_nothing_of_a_card(silent: set[int]) -> None:
    table = ReadTable()
    for number, place in enumerate(two_passes(table), start=1):
        if number not in silent:
            table.draw(number)
        table.lay(place, pace_ms=600)
    table.press("end deal")
    table.run_for(2_000)
    raised = [change.finding for change in table.changes if change.raised and change.certainty == "certain"]
    assert not [one for one in raised if isinstance(one, OrderError | CountError | MisdealAdvised)]
    assert table.standing(DealOk)
    assert table.places == two_passes(table)


def test_a_card_of_the_board_may_be_unknown_when_all_before_it_is_settled() -> None:
    table = dealt_with(set())
    table.press("end bet")
    table.run_for(20_000)
    draw(table, STRANGE.format(9), table.now_ms)
    table.lay("burn")
    table.run_for(2_000)
    assert table.standing(Equipment) == [SHOE]
    assert table.places == (*two_passes(table), "burn")


def test_the_next_hand_trusts_the_shoe_again() -> None:
    table = dealt_with({3})
    assert not table.following.has_shoe
    table.next_hand()
    assert table.standing(Equipment) == []
    table.draw(9)
    assert table.following.has_shoe


def test_without_a_model_the_antennas_alone_tell_the_order_too(table) -> None:
    felt = table()
    for number, place in enumerate(two_passes_of(felt), start=1):
        draw(felt, STRANGE.format(number))
        felt.play(f"{number} > {place}")
    felt.play("end deal")
    assert felt.standing(Equipment) == [SHOE]
    assert felt.standing(OrderError) == []
    assert felt.standing(DealOk)


def test_a_face_up_card_of_an_unknown_tag_is_exposed_all_the_same(table) -> None:
    felt = table()
    draw(felt, STRANGE.format(1), face="up")
    (exposed,) = felt.standing(ExposedCard)
    assert exposed.card == 1


def test_without_a_register_no_tag_is_unknown(table) -> None:
    felt = table(register=Register(()))
    draw(felt, STRANGE.format(1))
    felt.take(CardArrived("seat 1", STRANGE.format(1), 0, 0, "reader-1"))
    assert felt.standing(Equipment) == []


def two_passes_of(felt: Any) -> list[str]:
    return [f"seat {seat}" for seat in felt.state.hand.order] * 2
