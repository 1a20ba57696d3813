"""Polls of true deals: phases, neighbours, and what is heard without noise and with it."""

from collections import Counter
from itertools import islice, pairwise

import pytest

from shoe_bridge.sim.deal_polls import KEY_DOWN_MS, Done, Happening, Poll, Polls, antennas_of, quiet_air
from shoe_bridge.sim.deal_truth import CLEAN, CYCLE_MS, PACES, TrueHand, hands

PACE = PACES["typical"]


def followed(reader: str, level: str, count: int = 1) -> list[tuple[TrueHand, list[Happening]]]:
    polls = Polls(reader, quiet_air(level, "polls"))
    return [(hand, list(polls.follow(hand))) for hand in islice(hands("polls", PACE, (CLEAN,)), count)]


def test_one_box_polls_all_places_of_tablelink():
    antennas = antennas_of("tablelink")
    assert [antenna.number for antenna in antennas] == list(range(1, 16))
    assert {antenna.device for antenna in antennas} == {"reader-1"}
    assert antennas[10].place == "board"
    assert antennas[10].neighbours == ("seat 10", "burn")
    assert [antenna.offset_ms for antenna in antennas] == [n * CYCLE_MS // 15 for n in range(1, 16)]


def test_two_peppers_share_the_places_and_poll_at_once():
    antennas = antennas_of("pepper_c1")
    devices = Counter(antenna.device for antenna in antennas)
    assert devices == {"reader-1": 8, "reader-2": 7}
    seat_9 = next(antenna for antenna in antennas if antenna.place == "seat 9")
    assert seat_9.neighbours == ("seat 10",)  # seat 8 is another box's
    assert [antenna.offset_ms for antenna in antennas] == sorted(antenna.offset_ms for antenna in antennas)


@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1"])
def test_each_antenna_is_polled_once_in_each_cycle(reader):
    for _, happenings in followed(reader, "clean", 2):
        by_place: dict[str, list[int]] = {}
        for happening in happenings:
            if isinstance(happening, Poll):
                by_place.setdefault(happening.antenna.place, []).append(happening.at_ms)
        assert len(by_place) == 15
        for times in by_place.values():
            assert {b - a for a, b in pairwise(times)} == {CYCLE_MS}


def test_without_noise_every_card_is_heard_in_the_first_poll_after_it_came():
    [(hand, happenings)] = followed("tablelink", "clean")
    polls = [happening for happening in happenings if isinstance(happening, Poll)]
    for card in hand.cards:
        heard = [poll for poll in polls if any(read.tag == card.tag for read in poll.reads)]
        assert {poll.antenna.place for poll in heard} == {card.place}
        assert 0 < heard[0].at_ms - card.at_ms <= CYCLE_MS
        assert heard[-1].at_ms < hand.ends_ms - 2 * CYCLE_MS  # gathered


def test_happenings_are_in_order_and_keys_count_when_they_are_let_go():
    [(hand, happenings)] = followed("tablelink", "typical")
    assert [each.at_ms for each in happenings] == sorted(each.at_ms for each in happenings)
    keys = [each for each in happenings if isinstance(each, Done)]
    pressed = [deed for deed in hand.deeds if deed.what == "key"]
    assert [(key.name, key.at_ms) for key in keys] == [
        (deed.name, deed.at_ms + KEY_DOWN_MS) for deed in pressed
    ]


def test_noise_misses_and_crosses_as_often_as_its_level_says():
    missed = crossed = polls_of_first = 0
    for hand, happenings in followed("tablelink", "typical", 20):
        place_of = {card.tag: card.place for card in hand.cards}
        lies_ms = {card.tag: card.at_ms for card in hand.cards}
        first_at: dict[str, str] = {}
        for card in hand.cards:
            first_at.setdefault(card.place, card.tag)
        for poll in happenings:
            if not isinstance(poll, Poll) or not hand.cards[0].at_ms < poll.at_ms <= hand.judged_ms:
                continue
            crossed += sum(place_of.get(read.tag) not in (None, poll.antenna.place) for read in poll.reads)
            tag = first_at.get(poll.antenna.place)
            if tag is not None and poll.at_ms > lies_ms[tag]:
                polls_of_first += 1
                missed += all(read.tag != tag for read in poll.reads)
    assert 0.09 < missed / polls_of_first < 0.12
    assert crossed > 50


def test_the_same_seed_hears_the_same():
    assert followed("pepper_c1", "poor") == followed("pepper_c1", "poor")
