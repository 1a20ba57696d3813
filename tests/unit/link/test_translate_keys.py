"""Keys: a whole press is one observation, whatever the contact does."""

from collections import Counter

from shoe_bridge.link.keys import Keys
from shoe_bridge.table.observations import AnyObservation, DeviceFaulted, KeyPressed

MS = 1_000_000


def _play(keys: Keys, *edges: tuple[str, int], key: int = 1) -> list[AnyObservation]:
    out: list[AnyObservation] = []
    for edge, at_ms in edges:
        if edge == "down":
            keys.down(key, at_ms, at_ms * MS)
        else:
            keys.up(key, at_ms, at_ms * MS, out)
    return out


def _keys() -> Keys:
    return Keys("keys-1", {1: "shuffle", 2: "cut"}, Counter())


def test_a_press_is_told_at_its_release() -> None:
    assert _play(_keys(), ("down", 100), ("up", 180)) == [KeyPressed("shuffle", 180 * MS, "keys-1")]


def test_the_least_width_is_twenty_ms() -> None:
    assert _play(_keys(), ("down", 100), ("up", 119)) == []
    assert len(_play(_keys(), ("down", 100), ("up", 120))) == 1


def test_a_contact_that_bounces_at_the_release_makes_one_press() -> None:
    edges = [("down", 100), ("up", 180), ("down", 184), ("up", 190), ("down", 220), ("up", 221)]
    assert len(_play(_keys(), *edges)) == 1


def test_a_contact_that_bounces_when_pressed_makes_one_press() -> None:
    edges = [("down", 100), ("up", 103), ("down", 106), ("up", 108), ("down", 112), ("up", 200)]
    assert _play(_keys(), *edges) == [KeyPressed("shuffle", 200 * MS, "keys-1")]


def test_spikes_that_are_closed_too_short_in_all_make_none() -> None:
    assert _play(_keys(), ("down", 100), ("up", 105), ("down", 130), ("up", 136)) == []


def test_two_presses_more_than_thirty_ms_apart_are_two() -> None:
    assert len(_play(_keys(), ("down", 100), ("up", 180), ("down", 211), ("up", 260))) == 2
    assert len(_play(_keys(), ("down", 100), ("up", 180), ("down", 210), ("up", 260))) == 1


def test_a_second_down_without_a_release_changes_nothing() -> None:
    assert len(_play(_keys(), ("down", 100), ("down", 150), ("up", 180))) == 1


def test_keys_are_apart() -> None:
    keys = _keys()
    _play(keys, ("down", 100), key=1)
    assert _play(keys, ("down", 110), ("up", 150), key=2) == [KeyPressed("cut", 150 * MS, "keys-1")]
    assert _play(keys, ("up", 190), key=1) == [KeyPressed("shuffle", 190 * MS, "keys-1")]


def test_unknown_keys_and_releases_without_a_press_are_counted() -> None:
    counters: Counter[str] = Counter()
    keys = Keys("keys-1", {1: "shuffle"}, counters)
    assert _play(keys, ("down", 1), ("up", 90), key=9) == []
    assert _play(keys, ("up", 90), key=1) == []
    assert counters == {"unknown_key": 2, "release_without_press": 1}


def test_a_key_held_for_ten_seconds_is_a_fault_once_and_no_press() -> None:
    keys = _keys()
    _play(keys, ("down", 0))
    assert keys.next_deadline_ns() == 10_000 * MS
    out: list[AnyObservation] = []
    keys.tick(9_999 * MS, out)
    assert out == []
    keys.tick(10_000 * MS, out)
    keys.tick(11_000 * MS, out)
    text = "stuck key: 'shuffle' was down for more than 10 s"
    assert out == [DeviceFaulted("keys-1", 0x0301, text, False, 10_000 * MS)]
    assert keys.next_deadline_ns() is None
    assert _play(keys, ("up", 12_000)) == [DeviceFaulted("keys-1", 0x0301, text, True, 12_000 * MS)]
    assert len(_play(keys, ("down", 13_000), ("up", 13_100))) == 1


def test_a_stuck_key_that_no_tick_noticed_is_still_told() -> None:
    said = _play(_keys(), ("down", 0), ("up", 30_000))
    assert [isinstance(one, DeviceFaulted) and one.cleared for one in said] == [False, True]


def test_a_lost_link_forgets_a_key_that_is_down() -> None:
    keys = _keys()
    _play(keys, ("down", 100))
    keys.forget()
    assert keys.next_deadline_ns() is None
    assert _play(keys, ("up", 150)) == []
