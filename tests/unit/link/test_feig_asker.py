"""How a FEIG reader is asked in each of its modes."""

import pytest

from protocol import feig_obid
from protocol.messages import Ack, HostCommand, Message, PollEmpty, Refused, TagSeen
from shoe_bridge.link.asker import WHOLE, Failed, Pending, Told
from shoe_bridge.link.feig_asker import BufferAsker, InventoryAsker, NotificationAsker
from shoe_bridge.link.link_config import LinkConfig

TAG = TagSeen("E0040150A05F02B7")
READ, CLEAR = HostCommand("read_buffer", {"sets": 64}), HostCommand("clear_buffer")


def asker_of(*antennas: int) -> InventoryAsker:
    return InventoryAsker(LinkConfig("r", "feig_obid", {number: f"seat {number}" for number in antennas}))


def test_antennas_are_asked_by_their_bit_and_a_lone_first_one_without() -> None:
    assert asker_of(3, 1).turns == (1, 3)
    assert asker_of(3, 1).begin(3) == HostCommand("inventory", {"mode": 0, "antennas": 4})
    assert asker_of(8).begin(8) == HostCommand("inventory", {"mode": 0, "antennas": 128})
    assert asker_of(1).begin(1) == HostCommand("inventory", {"mode": 0})


def test_a_list_is_whole_unless_more_follows() -> None:
    asker = asker_of(2)
    asked = asker.begin(2)
    assert asker.judge(2, asked, (TAG, TAG)) == WHOLE
    assert asker.judge(2, asked, (PollEmpty(),)) == WHOLE
    more = HostCommand("inventory", {"mode": 0x80, "antennas": 2})
    assert asker.judge(2, asked, (TAG, Ack("host_command", 0x94))) == Pending(more)


def test_an_error_fails_the_poll_and_another_answer_is_none_of_its_business() -> None:
    asker = asker_of(1)
    asked = asker.begin(1)
    assert asker.judge(1, asked, (Refused("host_command", 0x83, "RF"),)) == Failed(0x83, "RF")
    assert asker.judge(1, asked, (TAG, Refused("host_command", 0x84, "RF warning"))) == Failed(
        0x84, "RF warning"
    )
    assert asker.judge(1, asked, (Ack("host_command"),)) is None
    assert asker.judge(1, asked, (Refused("rf_reset", 0x80),)) is None


@pytest.mark.parametrize(
    ("asked", "said", "verdict"),
    [
        (READ, (TAG,), Pending(CLEAR)),
        (READ, (TAG, Ack("read_buffer", 0x94)), Pending(CLEAR)),
        (READ, (TAG, Ack("read_buffer", 0x93)), Pending(CLEAR, is_gap=True)),
        (READ, (Ack("read_buffer"),), Pending(CLEAR)),
        (READ, (Ack("read_buffer", 0x92),), WHOLE),
        (READ, (Refused("read_buffer", 0x82, "no"),), Failed(0x82, "no")),
        (READ, (Ack("clear_buffer"),), None),
        (CLEAR, (Ack("clear_buffer"),), Pending(READ)),
        (CLEAR, (Refused("clear_buffer", 0x10, None),), Failed(0x10, "status 16")),
        (CLEAR, (TAG,), None),
    ],
)
def test_a_buffer_is_read_and_cleared_until_it_is_empty(
    asked: HostCommand, said: tuple[Message, ...], verdict: object
) -> None:
    assert BufferAsker().begin(0) == READ
    assert BufferAsker().judge(0, asked, said) == verdict


def test_a_notification_is_acknowledged_and_nothing_is_polled() -> None:
    asker = NotificationAsker()
    assert asker.turns == ()
    assert asker.unasked((TAG,)) == Told(CLEAR)
    assert asker.unasked((TAG, Ack("read_buffer", 0x94))) == Told(CLEAR)
    assert asker.unasked((Ack("clear_buffer"),)) == Told()
    assert asker.unasked((PollEmpty(),)) is None


@pytest.mark.parametrize("asker", [asker_of(1, 2), BufferAsker(), NotificationAsker()])
def test_all_that_is_asked_can_be_sent(asker: InventoryAsker) -> None:
    commands = [question.command for question in (*asker.start_up, asker.keep_alive)]
    for command in [*commands, *map(asker.begin, asker.turns), CLEAR]:
        assert feig_obid.encode_command(command)
