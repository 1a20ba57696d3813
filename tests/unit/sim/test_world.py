from shoe_bridge.sim.world import World

NINE = "E00401500000000A"
TEN = "E00401500000000B"


def tags(world: World, place: str) -> list[str]:
    return [sighting.tag for sighting in world.poll(place)]


def test_a_tag_lies_at_one_place_only() -> None:
    world = World()
    world.place(NINE, "seat 1")
    world.place(NINE, "seat 2")
    assert world.where(NINE) == "seat 2"
    assert tags(world, "seat 1") == []
    assert tags(world, "seat 2") == [NINE]


def test_depth_counts_from_the_antenna_and_cards_on_the_board_do_not_shield() -> None:
    world = World()
    world.place(NINE, "seat 3")
    world.place(TEN, "seat 3")
    assert [(s.tag, s.depth) for s in world.poll("seat 3")] == [(NINE, 1), (TEN, 2)]
    world.place(NINE, "board")
    world.place(TEN, "board")
    assert [s.depth for s in world.poll("board")] == [1, 1]


def test_lifting_what_lies_nowhere_changes_nothing() -> None:
    world = World()
    world.lift(NINE)
    assert world.where(NINE) is None
    world.place(NINE, "burn")
    world.lift(NINE)
    assert tags(world, "burn") == []


def test_lift_all_gathers_every_place() -> None:
    world = World()
    world.place(NINE, "seat 1")
    world.place(TEN, "board")
    world.stray(NINE, "seat 2")
    assert set(world.lift_all()) == {NINE, TEN}
    assert tags(world, "seat 1") + tags(world, "board") + tags(world, "seat 2") == []


def test_a_stray_read_is_used_up_by_exactly_its_polls() -> None:
    world = World()
    world.place(NINE, "seat 2")
    world.stray(NINE, "seat 3", polls=2)
    assert [s.is_stray for s in world.poll("seat 3")] == [True]
    assert tags(world, "seat 3") == [NINE]
    assert tags(world, "seat 3") == []
    assert tags(world, "seat 2") == [NINE]


def test_a_stray_read_where_the_tag_lies_shows_it_once() -> None:
    world = World()
    world.place(NINE, "seat 2")
    world.stray(NINE, "seat 2")
    assert [(s.tag, s.is_stray) for s in world.poll("seat 2")] == [(NINE, False)]


def test_hidden_tags_and_silent_places_are_not_heard() -> None:
    world = World()
    world.place(NINE, "seat 1")
    world.place(TEN, "seat 1")
    world.hide(NINE)
    assert [(s.tag, s.depth) for s in world.poll("seat 1")] == [(TEN, 2)]
    world.reveal(NINE)
    world.silence("seat 1")
    assert tags(world, "seat 1") == []
    world.wake("seat 1")
    assert tags(world, "seat 1") == [NINE, TEN]
