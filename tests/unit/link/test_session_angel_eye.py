"""The Angel Eye session over its bytes: three copies are one event, gaps are told, nothing is ever sent."""

import pytest

from protocol.angel_eye import encode_command, encode_report
from protocol.messages import CardDrawn as Drawn
from protocol.messages import CardUnread as Unread
from protocol.messages import DeviceFault, HostCommand, Message, ShoeReport
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.table.observations import (
    AnyObservation,
    CardDrawn,
    CardUnread,
    DeviceFaulted,
    EventsMissed,
    LinkLost,
    LinkRestored,
)

MS = 1_000_000
NINE, TEN = Drawn("9d", target="player 1", context="game"), Drawn("Tc", target="banker 1", context="game")
START, STANDBY = ShoeReport("started"), ShoeReport("standby")


class Shoe:
    """A link and the shoe at its far end; times are the bridge's ms."""

    def __init__(self) -> None:
        self.link = DeviceLink(LinkConfig("shoe-1", "angel_eye"), Presence(), lambda tag: True)
        self.link.opened(0, 1)
        self.now_ms = 0

    def raw(self, data: bytes, after_ms: int = 0) -> list[AnyObservation]:
        self.now_ms += after_ms
        return self.link.take(data, self.now_ms * MS)

    def say(self, message: Message, number: int, copies: int = 3, gap_ms: int = 50) -> list[AnyObservation]:
        out: list[AnyObservation] = []
        for _ in range(copies):
            out += self.raw(encode_report(message, number), gap_ms)
        return out

    def heard(self, message: Message = START, number: int = 1) -> "Shoe":
        """The shoe has said something."""
        assert [type(one) for one in self.say(message, number)][:1] == [LinkRestored]
        return self


@pytest.fixture
def shoe() -> Shoe:
    return Shoe()


def drawn(card: str, ms: int) -> CardDrawn:
    return CardDrawn(ms * MS, "shoe-1", None, card)


def missed(count: int, ms: int) -> EventsMissed:
    return EventsMissed("shoe-1", (), count, ms * MS)


def test_an_open_port_proves_nothing_and_the_first_report_does(shoe: Shoe) -> None:
    assert not shoe.link.is_verified
    assert shoe.say(NINE, 4, copies=1) == [LinkRestored("shoe-1", (), None, 50 * MS), drawn("9d", 50)]
    assert shoe.link.is_verified


def test_three_copies_are_one_event_and_three_frames(shoe: Shoe) -> None:
    shoe.heard()
    assert shoe.say(NINE, 2) == [drawn("9d", 200)]
    assert shoe.link.counters["frames"] == 6
    assert shoe.link.counters["copies"] == 4


@pytest.mark.parametrize("copies", [1, 2, 4, 9])
def test_any_number_of_copies_is_one_event(shoe: Shoe, copies: int) -> None:
    shoe.heard()
    assert shoe.say(NINE, 2, copies) == [drawn("9d", 200)]


def test_copies_in_one_read_are_one_event(shoe: Shoe) -> None:
    shoe.heard()
    assert shoe.raw(encode_report(NINE, 2) * 3, 10) == [drawn("9d", 160)]


def test_a_copy_may_come_late_and_behind_the_next_report(shoe: Shoe) -> None:
    shoe.heard()
    said = shoe.say(NINE, 2, 1) + shoe.say(TEN, 3, 1) + shoe.say(NINE, 2, 1) + shoe.say(TEN, 3, 2)
    assert said == [drawn("9d", 200), drawn("Tc", 250)]
    assert shoe.raw(encode_report(TEN, 3), 60_000) == []


def test_a_start_is_one_event_too_and_the_reports_after_it_are_no_copies(shoe: Shoe) -> None:
    shoe.heard(NINE, 1)
    assert shoe.say(START, 1) == []
    assert shoe.link.counters["untold"] == 1
    assert shoe.say(NINE, 2) == [drawn("9d", 350)]
    assert shoe.say(START, 3) + shoe.say(START, 3) == []
    assert shoe.link.counters["untold"] == 2


def test_the_same_start_later_is_a_new_one(shoe: Shoe) -> None:
    shoe.heard(START, 1)
    shoe.now_ms += 5_000
    assert shoe.say(START, 1) == []
    assert shoe.link.counters["untold"] == 2


def test_numbers_wrap_at_nine(shoe: Shoe) -> None:
    shoe.heard(STANDBY, 8)
    assert shoe.say(NINE, 9) == [drawn("9d", 200)]
    assert shoe.say(TEN, 1) == [drawn("Tc", 350)]


@pytest.mark.parametrize(("number", "count"), [(3, 1), (9, 7), (1, 8)])
def test_a_gap_is_an_observation(shoe: Shoe, number: int, count: int) -> None:
    shoe.heard(START, 1)
    shoe.now_ms += 5_000
    assert shoe.say(NINE, number) == [missed(count, 5_200), drawn("9d", 5_200)]


def test_a_start_may_have_any_number(shoe: Shoe) -> None:
    shoe.heard(NINE, 2)
    assert shoe.say(START, 7) == []
    assert shoe.say(TEN, 8) == [drawn("Tc", 350)]


def test_a_copy_that_is_garbled_so_that_its_check_fits_puts_the_hand_in_doubt(shoe: Shoe) -> None:
    shoe.heard()
    out = shoe.say(NINE, 2, 1) + shoe.say(TEN, 2, 1) + shoe.say(NINE, 2, 1)
    assert out == [drawn("9d", 200), missed(1, 250)]
    assert shoe.link.counters["garbled_copies"] == 1


def test_a_garbled_copy_is_junk_and_the_next_one_is_the_event(shoe: Shoe) -> None:
    shoe.heard()
    good = encode_report(NINE, 2)
    assert shoe.raw(good[:3] + b"\xff" + good[4:], 50) == []
    assert shoe.raw(good, 50) == [drawn("9d", 250)]
    assert shoe.link.counters["junk_bad_check"] == 1


def test_the_report_whose_meaning_is_not_known_becomes_no_card(shoe: Shoe) -> None:
    shoe.heard()
    again = Drawn("9d", target="player 1", context="redeal_or_repeat")
    assert shoe.say(again, 2) == [missed(1, 200)]
    assert shoe.link.counters["unclear_reports"] == 1


def test_a_code_that_is_not_known_puts_the_hand_in_doubt(shoe: Shoe) -> None:
    shoe.heard()
    assert shoe.raw(bytes.fromhex("05325A0336") + b"B") == [missed(1, 150)]
    assert shoe.link.counters["unclear_reports"] == 1


def test_unread_cards_and_cards_outside_a_game(shoe: Shoe) -> None:
    shoe.heard()
    assert shoe.say(Unread(), 2) == [CardUnread(200 * MS, "shoe-1")]
    assert shoe.say(Drawn("2h", context="outside_game"), 3) == [drawn("2h", 350)]


def fault(code: int, text: str, cleared: bool, ms: int) -> DeviceFaulted:
    return DeviceFaulted("shoe-1", code, text, cleared, ms * MS)


def test_a_fault_ends_when_the_shoe_says_so(shoe: Shoe) -> None:
    shoe.heard()
    assert shoe.say(DeviceFault(1), 2) == [fault(1, "cannot read", False, 200)]
    assert shoe.say(DeviceFault(1, cleared=True), 3) == [fault(1, "cannot read", True, 350)]
    assert shoe.say(NINE, 4) == [drawn("9d", 500)]


@pytest.mark.parametrize("sign", [NINE, START], ids=["a card of a game", "a start"])
def test_a_fault_whose_end_was_lost_ends_with_a_sign_that_the_shoe_works(shoe: Shoe, sign: Message) -> None:
    shoe.heard()
    shoe.say(DeviceFault(5), 2)
    shoe.say(Drawn("2h", context="outside_game"), 3)
    assert shoe.say(sign, 4)[0] == fault(5, "reverse run midway", True, 500)


def test_silence_is_normal_between_hands(shoe: Shoe) -> None:
    shoe.heard()
    assert shoe.link.next_deadline_ns() is None
    assert shoe.link.tick(3_600_000 * MS) == []
    assert shoe.link.is_verified


def test_nothing_is_ever_sent(shoe: Shoe) -> None:
    assert shoe.link.sends() == []
    shoe.heard().say(DeviceFault(1), 2)
    shoe.link.tick(60_000 * MS)
    shoe.link.closed(60_000 * MS, "unplugged")
    shoe.link.opened(61_000 * MS, 2)
    assert shoe.link.sends() == []


def test_what_a_host_says_on_the_line_proves_no_shoe(shoe: Shoe) -> None:
    assert shoe.raw(encode_command(HostCommand("lock"))) == []
    assert not shoe.link.is_verified
    assert shoe.link.counters["of_the_host"] == 1


# -- the life of the path


def closed_and_opened(shoe: Shoe) -> list[AnyObservation]:
    shoe.now_ms += 100
    out = shoe.link.closed(shoe.now_ms * MS, "unplugged")
    shoe.now_ms += 2_000
    return out + shoe.link.opened(shoe.now_ms * MS, 2)


def test_a_closed_path_is_lost_once_and_back_with_the_next_report(shoe: Shoe) -> None:
    shoe.heard()
    assert closed_and_opened(shoe) == [LinkLost("shoe-1", (), "unplugged", 250 * MS)]
    assert not shoe.link.is_verified
    assert shoe.say(NINE, 2) == [LinkRestored("shoe-1", (), None, 2_300 * MS), drawn("9d", 2_300)]


def test_what_was_lost_with_the_path_is_counted_by_the_numbers(shoe: Shoe) -> None:
    shoe.heard(START, 1)
    closed_and_opened(shoe)
    assert shoe.say(NINE, 4) == [LinkRestored("shoe-1", (), 2, 2_300 * MS), drawn("9d", 2_300)]


def test_a_last_copy_that_comes_over_the_new_path_is_no_second_card(shoe: Shoe) -> None:
    shoe.heard().say(NINE, 2, 2)
    closed_and_opened(shoe)
    assert shoe.say(NINE, 2, 1) == [LinkRestored("shoe-1", (), None, 2_400 * MS)]


def test_noise_alone_says_what_to_check(shoe: Shoe) -> None:
    shoe.raw(b"\x00\xff\x80" * 20)
    due_ns = shoe.link.next_deadline_ns()
    while due_ns is not None:
        shoe.link.tick(due_ns)
        due_ns = shoe.link.next_deadline_ns()
    assert shoe.link.refusal is not None
    assert "not angel_eye: check `kind` and `baud`" in shoe.link.refusal
    shoe.heard(NINE, 3)
    assert shoe.link.refusal is None


def test_a_silent_port_is_no_reason_to_complain(shoe: Shoe) -> None:
    assert shoe.link.next_deadline_ns() is None
    shoe.link.tick(60_000 * MS)
    assert shoe.link.refusal is None


def test_bytes_and_ticks_after_the_end_change_nothing(shoe: Shoe) -> None:
    shoe.heard()
    shoe.link.closed(1_000 * MS, "unplugged")
    assert shoe.link.closed(1_001 * MS, "unplugged") == []
    assert shoe.link.tick(60_000 * MS) == []
    assert shoe.say(NINE, 2) == []


@pytest.mark.parametrize("copies", [1, 2])
def test_a_restart_of_the_bridge_goes_on_among_the_copies(copies: int) -> None:
    shoe, again = Shoe(), Shoe()
    shoe.heard().say(NINE, 2, copies)
    again.link.restore(shoe.link.snapshot())
    again.now_ms = shoe.now_ms
    out, out_again = (one.say(NINE, 2, 1) + one.say(TEN, 4) for one in (shoe, again))
    assert out == out_again == [missed(1, shoe.now_ms - 100), drawn("Tc", shoe.now_ms - 100)]
    assert again.link.counters == shoe.link.counters


def test_it_says_what_it_waits_for_until_the_shoe_has_spoken(shoe: Shoe) -> None:
    assert shoe.link.waits_for == (
        "shoe-1 is listened to only and has not spoken yet: draw a card or press a button on the shoe, and "
        "it is known to be connected"
    )
    shoe.heard()
    assert shoe.link.waits_for is None
    shoe.link.closed(shoe.now_ms * MS, "unplugged")
    assert shoe.link.waits_for is None  # nobody can press anything for a path that is not there
    shoe.link.opened(shoe.now_ms * MS, 2)
    shoe.raw(b"\x00\x01", 50)
    shoe.now_ms += 4_000
    shoe.link.tick(shoe.now_ms * MS)
    assert shoe.link.refusal is not None
    assert shoe.link.waits_for is None  # its line is wrong: a card would not help
