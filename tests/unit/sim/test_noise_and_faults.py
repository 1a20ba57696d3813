from random import Random

import pytest

from shoe_bridge.errors import UsageError
from shoe_bridge.sim.faults import FaultyLine, LineFaults
from shoe_bridge.sim.noise import NOISE_LEVELS, Air, corrupt, shares_beside
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.world import World

TAGS = ["E00401500000000A", "E00401500000000B", "E00401500000000C"]
POLLS = 20_000


def stacked() -> World:
    world = World()
    for tag in TAGS:
        world.place(tag, "seat 1")
    return world


@pytest.mark.parametrize("level", ["typical", "poor"])
def test_the_rates_are_those_of_the_level(level: str) -> None:
    world = stacked()
    air = Air(world, level, Random(1))
    counts = dict.fromkeys(TAGS, 0)
    odd = strays = 0
    for _ in range(POLLS):
        for read in air.poll("seat 1", {"seat 2": 1.0}):
            if read.tag in counts:
                counts[read.tag] += 1
            else:
                odd += 1
        strays += len(air.poll("seat 2", {"seat 1": 1.0}))
    rates = NOISE_LEVELS[level]
    reads = sum(counts.values())
    for tag, missed in zip(TAGS, rates.missed, strict=True):
        assert 1 - counts[tag] / POLLS == pytest.approx(missed, abs=0.015)
    assert odd / reads == pytest.approx(rates.corrupted, rel=0.5)
    assert strays / (3 * POLLS) == pytest.approx(rates.cross_read, rel=0.2)


def test_clean_air_hears_all_and_draws_no_random_number() -> None:
    rng = Random(5)
    air = Air(stacked(), "clean", rng)
    assert [read.tag for read in air.poll("seat 1", {"seat 2": 1.0})] == TAGS
    assert air.poll("seat 2", {"seat 1": 1.0}) == []
    assert rng.random() == Random(5).random()


def test_a_neighbour_may_hear_a_card_before_its_own_antenna_was_polled() -> None:
    air = Air(stacked(), "poor", Random(2))
    heard = [read for _ in range(500) for read in air.poll("seat 2", {"seat 1": 0.5})]
    assert {read.tag for read in heard} == set(TAGS)
    air.world.hide(TAGS[0])
    assert all(read.tag != TAGS[0] for _ in range(500) for read in air.poll("seat 2", {"seat 1": 1.0}))
    air.world.silence("seat 2")
    assert not any(air.poll("seat 2", {"seat 1": 1.0}) for _ in range(500))


def test_the_cross_reads_of_a_card_are_shared_by_the_antennas_beside_it() -> None:
    row = {1: "seat 1", 2: "seat 2", 3: "seat 3", 5: "board"}
    assert shares_beside(row, 1) == {"seat 2": 0.5}
    assert shares_beside(row, 2) == {"seat 1": 1.0, "seat 3": 1.0}
    assert shares_beside(row, 5) == {}


def test_deeper_and_stray_tags_are_weaker() -> None:
    world = stacked()
    world.stray(TAGS[0], "seat 2")
    air = Air(world)
    near, second, third = (read.rssi for read in air.poll("seat 1"))
    (stray,) = air.poll("seat 2")
    assert near > second > third > stray.rssi


def test_a_corrupted_tag_differs_in_one_bit() -> None:
    rng = Random(3)
    for _ in range(100):
        wrong = corrupt(TAGS[0], rng)
        assert len(wrong) == 16
        assert wrong.startswith("E004")
        assert (int(wrong, 16) ^ int(TAGS[0], 16)).bit_count() == 1


def test_an_unknown_level_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="'loud' is not known: use one of clean, typical, poor"):
        Air(World(), "loud")


def speaking() -> TablelinkDevice:
    return TablelinkDevice("keys-1", lamps=1)


def test_a_good_line_changes_nothing() -> None:
    line = FaultyLine(speaking(), LineFaults(), Random(1))
    assert line.advance(5_000) == speaking().advance(5_000)
    assert (line.name, line.kind, line.is_plugged) == ("keys-1", "tablelink", True)


def test_a_bad_line_drops_and_flips() -> None:
    sent = speaking().advance(60_000)
    line = FaultyLine(speaking(), LineFaults(drop=0.1, flip=0.05), Random(1))
    got = line.advance(60_000)
    assert len(got) == len(sent) - line.dropped
    assert line.dropped / len(sent) == pytest.approx(0.1, rel=0.3)
    assert line.flipped / len(sent) == pytest.approx(0.045, rel=0.4)


def test_a_slow_line_delays_and_keeps_the_order() -> None:
    sent = speaking().advance(10_000)
    line = FaultyLine(speaking(), LineFaults(delay_ms=120), Random(1))
    got, late = b"", False
    for at_ms in range(0, 10_200, 10):
        got += line.advance(at_ms)
        late = late or line.next_due_ms() != line.device.next_due_ms()
    assert late
    assert got.startswith(sent)


def test_pulling_the_plug_loses_what_is_under_way() -> None:
    line = FaultyLine(speaking(), LineFaults(delay_ms=500), Random(4))
    line.advance(1_000)
    line.unplug()
    assert line.advance(3_000) == b""
    line.replug()
    assert line.advance(6_000) != b""
