"""The table's presence: antennas joined to places, tags at two places, what is stored."""

from shoe_bridge.link.presence import Antenna, Presence, Spot
from shoe_bridge.table.observations import AnyObservation, CardArrived, CardDeparted, CardStays

TAG = "E004A"


class Table:
    """Antennas by (device, number), told of sightings and absences as readers tell them."""

    def __init__(self, **places: dict[int, str]) -> None:
        self.presence = Presence()
        self.antennas: dict[tuple[str, int], Antenna] = {}
        for device, by_number in places.items():
            joined = self.presence.join(device, by_number, 400)
            self.antennas.update({(device, number): joined[number] for number in by_number})

    def arrive(self, device: str, number: int, at_ns: int) -> list[AnyObservation]:
        antenna = self.antennas[device, number]
        spot = antenna.spots[TAG] = Spot(TAG, at_ns - 10, at_ns, at_ns, None)
        out: list[AnyObservation] = []
        self.presence.arrived(antenna, spot, out)
        return out

    def read(self, device: str, number: int, at_ns: int) -> list[AnyObservation]:
        antenna = self.antennas[device, number]
        antenna.spots[TAG].last_ns = at_ns
        out: list[AnyObservation] = []
        self.presence.read_again(antenna, antenna.spots[TAG], at_ns, out)
        return out

    def depart(self, device: str, number: int, at_ns: int) -> list[AnyObservation]:
        antenna = self.antennas[device, number]
        antenna.spots[TAG].first_miss_ns = at_ns
        out: list[AnyObservation] = []
        self.presence.departed(antenna, antenna.spots[TAG], out)
        return out


def _two_seats() -> Table:
    return Table(left={1: "seat 1"}, right={1: "seat 2"})


# -- one tag at two places


def test_a_tag_read_again_where_it_lay_after_it_arrived_elsewhere_stays() -> None:
    table = _two_seats()
    table.arrive("left", 1, 100)
    assert table.read("left", 1, 150) == []
    assert table.arrive("right", 1, 200) == [CardArrived("seat 2", TAG, 190, 200, "right")]
    assert table.read("left", 1, 250) == [CardStays("seat 1", TAG, 250, "left")]


def test_it_is_said_once_until_the_picture_changes() -> None:
    table = Table(left={1: "seat 1", 2: "seat 3"}, right={1: "seat 2"})
    table.arrive("left", 1, 100)
    table.arrive("right", 1, 200)
    assert len(table.read("left", 1, 250)) == 1
    assert table.read("left", 1, 300) == []
    table.arrive("left", 2, 400)
    assert [one.place for one in table.read("left", 1, 450) if isinstance(one, CardStays)] == ["seat 1"]
    assert [one.place for one in table.read("right", 1, 460) if isinstance(one, CardStays)] == ["seat 2"]
    table.depart("right", 1, 500)
    assert len(table.read("left", 1, 550)) == 1
    assert table.read("left", 1, 600) == []


def test_the_place_of_the_newest_arrival_tells_nothing_by_being_read_again() -> None:
    table = _two_seats()
    table.arrive("left", 1, 100)
    table.arrive("right", 1, 200)
    assert table.read("right", 1, 250) == []


def test_a_read_from_before_the_other_arrival_is_no_stay_though_it_was_told_later() -> None:
    table = _two_seats()
    table.arrive("left", 1, 100)
    table.arrive("right", 1, 200)
    assert table.read("left", 1, 190) == []
    assert table.read("left", 1, 200) == []
    assert len(table.read("left", 1, 201)) == 1


def test_a_tag_that_only_moved_makes_no_stay() -> None:
    table = _two_seats()
    table.arrive("left", 1, 100)
    table.arrive("right", 1, 200)
    assert table.depart("left", 1, 250) == [CardDeparted("seat 1", TAG, 100, 250, "left")]
    assert table.read("right", 1, 300) == []
    assert table.presence.places_of(TAG) == ["seat 2"]


def test_a_tag_at_three_places_can_stay_at_the_two_older_ones() -> None:
    table = Table(left={1: "seat 1", 2: "seat 2", 3: "seat 3"})
    for number in (1, 2, 3):
        table.arrive("left", number, 100 * number)
    assert [len(table.read("left", number, 400)) for number in (1, 2, 3)] == [1, 1, 0]
    assert table.presence.places_of(TAG) == ["seat 1", "seat 2", "seat 3"]


# -- two antennas of one place


def _double() -> Table:
    return Table(left={1: "board", 2: "board"}, right={1: "seat 2"})


def test_two_antennas_of_one_place_make_one_arrival_and_one_departure() -> None:
    table = _double()
    assert len(table.arrive("left", 1, 100)) == 1
    assert table.arrive("left", 2, 200) == []
    table.read("left", 2, 300)
    assert table.depart("left", 1, 350) == []
    assert table.depart("left", 2, 400) == [CardDeparted("board", TAG, 300, 400, "left")]
    assert table.presence.places_of(TAG) == []


def test_the_window_of_a_departure_covers_all_antennas_of_the_place() -> None:
    table = _double()
    table.arrive("left", 1, 100)
    table.arrive("left", 2, 200)
    table.read("left", 1, 900)
    table.depart("left", 1, 950)
    # the other one was last polled long ago
    assert table.depart("left", 2, 250) == [CardDeparted("board", TAG, 900, 950, "left")]


def test_two_antennas_of_one_place_are_no_two_places() -> None:
    table = _double()
    table.arrive("left", 1, 100)
    table.arrive("left", 2, 200)
    assert table.read("left", 1, 300) == []
    table.arrive("right", 1, 400)
    # one stay for the place, whichever antenna reads it
    assert len(table.read("left", 2, 500)) == 1
    assert table.read("left", 1, 510) == []


def test_an_antenna_that_joins_a_place_later_may_tell_the_stay_as_well() -> None:
    table = _double()
    table.arrive("left", 1, 100)
    table.arrive("right", 1, 200)
    table.arrive("left", 2, 300)
    assert len(table.read("left", 2, 400)) == 1
    assert table.read("left", 1, 410) == []


def test_two_devices_may_share_a_place_and_use_the_same_antenna_number() -> None:
    table = Table(left={1: "board"}, right={1: "board"})
    assert len(table.arrive("left", 1, 100)) == 1
    assert table.arrive("right", 1, 200) == []
    assert table.depart("left", 1, 300) == []
    assert len(table.depart("right", 1, 400)) == 1


# -- stored


def test_a_restored_presence_knows_who_lies_where_and_goes_on() -> None:
    table = _two_seats()
    table.arrive("left", 1, 100)
    table.arrive("right", 1, 200)
    again = _two_seats()
    again.presence.restore(table.presence.snapshot())
    assert again.presence.places_of(TAG) == ["seat 1", "seat 2"]
    assert len(again.read("left", 1, 300)) == 1
    assert len(again.depart("right", 1, 400)) == 1


def test_a_presence_may_be_restored_before_its_readers_join() -> None:
    table = _two_seats()
    table.arrive("left", 1, 100)
    presence = Presence()
    presence.restore(table.presence.snapshot())
    assert TAG in presence.join("left", {1: "seat 1"}, 400)[1].spots


def test_an_antenna_that_was_moved_to_another_place_forgets_its_tags() -> None:
    table = _two_seats()
    table.arrive("left", 1, 100)
    presence = Presence()
    presence.restore(table.presence.snapshot())
    assert presence.join("left", {1: "burn"}, 400)[1].spots == {}
    assert presence.places_of(TAG) == []


def test_times_of_a_clock_that_has_started_anew_are_taken_as_now() -> None:
    table = _two_seats()
    table.arrive("left", 1, 10_000)
    table.arrive("right", 1, 20_000)
    table.presence.rewind(500)
    assert len(table.read("left", 1, 600)) == 1
    assert table.depart("left", 1, 700) == [CardDeparted("seat 1", TAG, 600, 700, "left")]
    assert table.depart("right", 1, 700) == [CardDeparted("seat 2", TAG, 500, 700, "right")]


def test_what_departed_leaves_nothing_behind() -> None:
    table = _two_seats()
    empty = len(table.presence.snapshot())
    for round_ns in range(0, 100_000, 1_000):
        table.arrive("left", 1, round_ns + 100)
        table.depart("left", 1, round_ns + 200)
    assert len(table.presence.snapshot()) <= empty + 8
