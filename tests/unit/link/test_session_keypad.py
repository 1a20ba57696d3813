"""The link to a keypad: reports in, one press for each key that goes down."""

import pytest

from protocol.hid_keys import encode_keys
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.keypad_session import WAS_DOWN_NS
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import (
    AnyObservation,
    DeviceFaulted,
    KeyPressed,
    LinkLost,
    LinkRestored,
)

MS = 1_000_000
F1, F2, F3 = 0x3A, 0x3B, 0x3C
KEYS = {F1: "shuffle", F2: "cut"}
UP = encode_keys(())


def made(**options: object) -> DeviceLink:
    config = LinkConfig("pad-1", "hid_keyboard", keys=KEYS, **options)  # type: ignore[arg-type]
    return DeviceLink(config, Presence(), lambda tag: False)


def opened(**options: object) -> DeviceLink:
    link = made(**options)
    assert link.opened(0, 1) == []
    assert link.next_deadline_ns() == 0
    assert [type(one) for one in link.tick(0)] == [LinkRestored]
    assert link.is_verified
    assert link.next_deadline_ns() is None
    return link


def press(key: str, at_ms: int) -> KeyPressed:
    return KeyPressed(key, at_ms * MS, "pad-1")


def test_a_key_is_told_once_when_it_goes_down() -> None:
    link = opened()
    assert link.take(encode_keys((F1,)), 1_000 * MS) == [press("shuffle", 1_000)]
    for at_ms in range(1_100, 3_000, 100):  # repeated while it is held
        assert link.take(encode_keys((F1,)), at_ms * MS) == []
    assert link.take(UP, 3_000 * MS) == []
    assert link.take(encode_keys((F1,)), 3_100 * MS) == [press("shuffle", 3_100)]
    assert link.sends() == []


def test_a_tap_of_a_macro_pad_is_a_press_though_it_is_shorter_than_a_finger() -> None:
    assert opened().take(encode_keys((F1,)) + UP, 1_000 * MS) == [press("shuffle", 1_000)]


def test_a_chord_is_a_press_of_each_of_its_keys() -> None:
    link = opened()
    assert link.take(encode_keys((F2, F1)), 1_000 * MS) == [press("cut", 1_000), press("shuffle", 1_000)]
    assert link.take(encode_keys((F1,)), 1_100 * MS) == []
    assert link.take(encode_keys((F1, F2)), 1_200 * MS) == [press("cut", 1_200)]


def test_modifiers_are_passed_over() -> None:
    link = opened()
    assert link.take(encode_keys((), modifiers=0x01), 1_000 * MS) == []
    assert link.take(encode_keys((F1,), modifiers=0x05), 1_008 * MS) == [press("shuffle", 1_008)]
    assert link.take(encode_keys((F1,)), 1_016 * MS) == []


def test_too_many_keys_at_once_change_nothing() -> None:
    link = opened()
    link.take(encode_keys((F1,)), 1_000 * MS)
    assert link.take(b"\0\0" + b"\x01" * 6, 1_100 * MS) == []
    assert link.take(encode_keys((F1,)), 1_200 * MS) == []
    assert link.counters["rollovers"] == 1
    assert link.take(encode_keys((F1, F2)), 1_300 * MS) == [press("cut", 1_300)]


def test_a_lost_release_is_no_press_of_what_is_not_pressed() -> None:
    link = opened()
    link.take(encode_keys((F1,)), 1_000 * MS)
    # the release of F1 is lost
    assert link.take(encode_keys((F2,)), 1_500 * MS) == [press("cut", 1_500)]
    assert link.take(UP, 1_600 * MS) == []
    assert link.tick(20_000 * MS) == []  # and nothing is stuck


def test_a_contact_that_bounces_is_one_press() -> None:
    link = opened()
    assert link.take(encode_keys((F1,)), 1_000 * MS) == [press("shuffle", 1_000)]
    link.take(UP, 1_008 * MS)
    assert link.take(encode_keys((F1,)), 1_016 * MS) == []
    link.take(UP, 1_080 * MS)
    assert link.take(encode_keys((F1,)), 1_111 * MS) == [press("shuffle", 1_111)]


def test_a_key_without_a_meaning_is_counted_once() -> None:
    link = opened()
    for _ in range(3):
        assert link.take(encode_keys((F3,)), 1_000 * MS) == []
    assert link.take(UP, 1_100 * MS) == []
    assert link.counters["unknown_key"] == 1
    assert link.counters["release_without_press"] == 0


def test_a_key_that_is_held_for_ten_seconds_is_stuck() -> None:
    link = opened()
    link.take(encode_keys((F1,)), 1_000 * MS)
    assert link.next_deadline_ns() == 11_000 * MS
    (stuck,) = link.tick(11_000 * MS)
    assert isinstance(stuck, DeviceFaulted)
    assert (stuck.text, stuck.cleared) == ("stuck key: 'shuffle' was down for more than 10 s", False)
    (free,) = link.take(UP, 12_000 * MS)
    assert isinstance(free, DeviceFaulted)
    assert free.cleared


@pytest.mark.parametrize(("after_ms", "presses"), [(600, []), (601, ["shuffle"])])
def test_what_is_down_when_it_is_plugged_in_is_no_press(after_ms: int, presses: list[str]) -> None:
    assert WAS_DOWN_NS == 600 * MS
    link = opened()
    out = link.take(encode_keys((F1,)), after_ms * MS)
    assert [one.key for one in out if isinstance(one, KeyPressed)] == presses
    link.take(UP, 700 * MS)
    assert link.take(encode_keys((F1,)), 800 * MS) == [press("shuffle", 800)]


def test_only_the_first_report_tells_what_was_down_before() -> None:
    link = opened()
    assert link.take(UP, 10 * MS) == []
    assert link.take(encode_keys((F1,)), 100 * MS) == [press("shuffle", 100)]


def test_a_key_that_is_stuck_since_it_was_plugged_in_is_told_of() -> None:
    link = opened()
    link.take(encode_keys((F1,)), 20 * MS)
    assert [type(one) for one in link.tick(10_020 * MS)] == [DeviceFaulted]


def test_a_key_held_through_the_loss_of_the_link_is_no_new_press() -> None:
    link = opened()
    link.take(encode_keys((F1,)), 1_000 * MS)
    assert link.closed(1_500 * MS, "unplugged") == [LinkLost("pad-1", (), "unplugged", 1_500 * MS)]
    assert link.take(encode_keys((F2,)), 1_600 * MS) == []
    assert not link.is_verified
    link.opened(2_000 * MS, 2)
    # another key joins it long after: the first report of this life
    out = link.take(encode_keys((F1, F2)), 5_000 * MS)
    assert [type(one) for one in out] == [LinkRestored, KeyPressed]
    assert out[1] == press("cut", 5_000)
    link.take(UP, 5_100 * MS)
    assert link.take(encode_keys((F1,)), 5_200 * MS) == [press("shuffle", 5_200)]
    assert link.counters["release_without_press"] == 0


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_key_released_while_nobody_listened_is_heard_when_it_is_pressed_again(is_restarted: bool) -> None:
    """A bridge that was killed right after a press knows of no release."""
    link = opened()
    link.take(encode_keys((F1,)), 1_000 * MS)
    if is_restarted:
        stored, link = link.snapshot(), made()
        link.restore(stored)
    link.closed(1_500 * MS, "the bridge was restarted")
    link.opened(2_000 * MS, 2)
    assert [type(one) for one in link.tick(2_000 * MS)] == [LinkRestored]
    assert link.take(encode_keys((F1,)), 5_000 * MS) == [press("shuffle", 5_000)]


def test_two_keys_held_through_the_loss_are_no_press_when_one_comes_up() -> None:
    link = opened()
    link.take(encode_keys((F1, F2)), 1_000 * MS)
    link.closed(1_500 * MS, "unplugged")
    link.opened(2_000 * MS, 2)
    link.tick(2_000 * MS)
    assert link.take(encode_keys((F2,)), 5_000 * MS) == []


def test_a_report_repeated_within_the_first_time_is_no_press() -> None:
    link = opened()
    link.take(encode_keys((F1,)), 1_000 * MS)
    link.closed(1_500 * MS, "unplugged")
    link.opened(2_000 * MS, 2)
    link.tick(2_000 * MS)
    assert link.take(encode_keys((F1,)), 2_500 * MS) == []
    assert link.take(encode_keys((F1,)), 3_000 * MS) == []


def test_reports_of_another_layout_are_said_to_be_so() -> None:
    link = opened()
    link.take(encode_keys((F1,), "boot with id"), 1_000 * MS)
    link.tick(1_050 * MS)
    assert link.refusal == (
        "pad-1 sends reports that are not of the layout `boot`: set `layout` of this device in the"
        " configuration to another one"
    )
    right = opened(layout="boot with id")
    assert right.take(encode_keys((F1,), "boot with id"), 1_000 * MS) == [press("shuffle", 1_000)]
    assert right.refusal is None


@pytest.mark.parametrize("size", [0, 1, 7, 9, 15, 16, 24, 64])
def test_a_transfer_of_another_size_than_a_report_presses_nothing(size: int) -> None:
    link = opened(is_by_report=True)
    data = (encode_keys((F1,)) + UP) * 4
    assert link.take(data[:size], 1_000 * MS) == []
    assert link.counters["junk_bad_length"] == 1
    assert link.refusal is not None
    assert "layout `boot`" in link.refusal
    assert link.take(encode_keys((F2,)), 1_010 * MS) == [press("cut", 1_010)]  # nothing of it is left


def test_a_report_cut_anywhere_is_the_same_report() -> None:
    reports = encode_keys((F1,)) + UP + encode_keys((F2, F1))
    wanted = [press("shuffle", 1_000), press("cut", 1_000)]
    for cut in range(len(reports) + 1):
        link = opened()
        out: list[AnyObservation] = link.take(reports[:cut], 1_000 * MS)
        out += link.take(reports[cut:], 1_000 * MS)
        assert out == wanted  # F1 again at once is a bounce


@pytest.mark.parametrize("cut", [0, 5, 8, 12, 16, 24])
def test_a_snapshot_goes_on_like_the_original(cut: int) -> None:
    reports = encode_keys((F1,)) + encode_keys((F1, F2)) + encode_keys((F2,))
    whole, first, second = opened(), opened(), made()
    for link in (whole, first):
        link.take(reports[:cut], 1_000 * MS)
    second.restore(first.snapshot())
    assert second.next_deadline_ns() == whole.next_deadline_ns()
    assert second.take(reports[cut:], 1_040 * MS) == whole.take(reports[cut:], 1_040 * MS)
    assert second.tick(12_000 * MS) == whole.tick(12_000 * MS)
    assert second.counters == whole.counters
