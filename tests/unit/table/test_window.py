"""What an inference is made from is plain data: it says nothing by default, and survives its storage."""

import msgspec
import pytest

from shoe_bridge.table.window import Density, Due, Explanation, Heard, Sighting, Stand, Taken, Window

PLAN = (
    Due("seat 1", 0, True, ("seat 1", "seat 2")),
    Due("seat 2", 0),
    Due("burn", 1, True, is_of_pass=False),
)
WINDOW = Window(
    PLAN,
    1,
    ("seat 1",),
    Density(12, (0.25, 0.75)),
    (Sighting("A", (Heard("seat 2", 5, 3, 2, 1, True), Heard("seat 1", 9, 4)), 2),),
    {"seat 2": 5},
    11,
    deal_size=2,
    queue=("seat 1",),
    streets=1,
)


def test_a_window_says_no_more_than_it_is_told() -> None:
    empty = Window(PLAN)
    assert (empty.pointer, empty.served, empty.anchor, empty.sightings) == (0, (), None, ())
    assert not empty.is_complete
    assert empty.streets is None  # nobody tells of betting rounds, as against none that was closed


def test_a_due_card_is_of_a_pass_and_follows_at_the_pace() -> None:
    due = Due("seat 2", 0)
    assert (due.is_open, due.is_of_pass, due.pass_places) == (False, True, ())


def test_a_read_counts_once_and_is_not_gone() -> None:
    heard = Heard("seat 1", 100, 7)
    assert (heard.reads, heard.gone, heard.is_gone) == (1, 0, False)


@pytest.mark.parametrize(
    "value",
    [
        WINDOW,
        Explanation(
            0.75,
            (Taken("seat 2", "A"), Taken("seat 1", None)),
            2,
            1,
            ("burn",),
            ("seat 3",),
            (Stand(2, ("seat 1",)), Stand(2, (), ("seat 3",))),
            (Density(3, (1.0,)), Density(9, (0.5, 0.5))),
        ),
    ],
    ids=["window", "explanation"],
)
def test_it_survives_its_storage(value: Window | Explanation) -> None:
    stored = msgspec.json.decode(msgspec.json.encode(value), type=type(value))
    assert stored == value


@pytest.mark.parametrize(("name", "value"), [("pointer", 2), ("sightings", ())])
def test_it_is_never_changed(name: str, value: object) -> None:
    with pytest.raises(AttributeError, match="immutable"):
        setattr(WINDOW, name, value)
