"""The NE-USB's touch sensor as a key: asked, pressed, silent, gone, restarted."""

from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import DeviceFaulted, KeyPressed, LinkLost, LinkRestored

MS = 1_000_000
ASK = b"\x00\x80" + bytes(6)
TOUCHED, LEFT = b"\x00\x01", b"\x00\x00"


def link() -> DeviceLink:
    made = DeviceLink(
        LinkConfig("lamp-1", "patlite_ne", keys={1: "acknowledge"}), Presence(), lambda tag: True
    )
    made.opened(0, 1)
    return made


def told(made: DeviceLink, *answers: tuple[int, bytes]) -> list[object]:
    return [seen for at_ms, answer in answers for seen in made.take(answer, at_ms * MS)]


def test_it_is_asked_at_once_and_lives_from_the_first_answer() -> None:
    made = link()
    assert made.sends() == [ASK]
    assert not made.is_verified
    assert told(made, (2, LEFT)) == [LinkRestored("lamp-1", (), None, 2 * MS)]
    assert made.is_verified
    assert made.next_deadline_ns() == 52 * MS
    assert made.tick(52 * MS) == []
    assert made.sends() == [ASK]


def test_a_touch_is_one_press_however_often_it_is_seen() -> None:
    made = link()
    told(made, (2, LEFT))
    assert told(made, (50, TOUCHED), (100, TOUCHED), (150, TOUCHED)) == []
    assert told(made, (200, LEFT)) == [KeyPressed("acknowledge", 200 * MS, "lamp-1")]
    assert told(made, (250, LEFT)) == []
    assert "release_without_press" not in made.counters


def test_a_sensor_that_stays_touched_is_a_stuck_key_once() -> None:
    made = link()
    told(made, (2, TOUCHED))
    seen = []
    for at_ms in range(50, 12_000, 50):
        seen += made.take(TOUCHED, at_ms * MS) + made.tick(at_ms * MS)
    assert [type(one) for one in seen] == [DeviceFaulted]


def test_silence_loses_it_and_an_answer_brings_it_back() -> None:
    made = link()
    told(made, (2, LEFT), (50, TOUCHED))
    seen, at_ms = [], 50
    while at_ms < 3_100:
        at_ms += 50
        seen += made.tick(at_ms * MS)
    assert [type(one) for one in seen] == [LinkLost]
    assert made.refusal is not None
    assert "does not answer as a patlite_ne device" in made.refusal
    # the finger that was there before the silence is no press after it
    assert [type(one) for one in told(made, (3_200, LEFT))] == [LinkRestored]
    assert made.refusal is None
    assert 4 <= len(made.sends()) < 60


def test_an_unplugged_one_is_lost_once() -> None:
    made = link()
    told(made, (2, LEFT), (50, TOUCHED))
    assert [type(one) for one in made.closed(60 * MS, "it was unplugged")] == [LinkLost]
    assert made.closed(61 * MS, "it was unplugged") == []
    assert made.next_deadline_ns() is None
    made.opened(100 * MS, 2)
    assert [type(one) for one in told(made, (110, LEFT))] == [LinkRestored]


def test_a_restart_in_the_middle_of_a_touch_goes_on() -> None:
    first, second = link(), link()
    told(first, (2, LEFT), (50, TOUCHED))
    first.sends()
    second.restore(first.snapshot())
    for made in (first, second):
        assert told(made, (100, LEFT)) == [KeyPressed("acknowledge", 100 * MS, "lamp-1")]
    assert first.snapshot() == second.snapshot()


def test_the_light_goes_over_the_same_link() -> None:
    made = link()
    made.sends()
    made.set_light(1, "fast_blink", 255, 0, 0, 0)
    assert made.sends() == [bytes.fromhex("0000FF0F14000000")]
