import pytest

from shoe_bridge.table import layout


def test_seat_and_number_are_inverse() -> None:
    assert [layout.seat_of(layout.seat_place(seat)) for seat in range(1, 11)] == list(range(1, 11))
    assert layout.seat_place(10) == "seat 10"


@pytest.mark.parametrize("seat", [0, 11, -1])
def test_no_place_for_a_seat_that_does_not_exist(seat: int) -> None:
    with pytest.raises(ValueError, match="seats are 1 to 10"):
        layout.seat_place(seat)


@pytest.mark.parametrize("place", ["board", "seat 11", "seat  1", "Seat 1", ""])
def test_other_places_are_no_seats(place: str) -> None:
    assert layout.seat_of(place) is None


def test_no_antenna_looks_into_the_shoe() -> None:
    assert layout.is_place("shoe")
    assert not layout.may_have_antenna("shoe")
    assert all(layout.is_place(place) for place in layout.ANTENNA_PLACES)
    assert not layout.is_place("table")
