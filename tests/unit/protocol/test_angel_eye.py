"""Angel Eye: closed sets both ways, and what no shoe can say."""

import pytest

from protocol import angel_eye
from protocol.angel_eye_layout import CARDS, ERRORS, RESULTS, UNREAD
from protocol.messages import (
    CardDrawn,
    CardUnread,
    Decoded,
    DeviceFault,
    Failure,
    HostCommand,
    Message,
    Reason,
    ShoeReport,
    UnknownBody,
)


def meaning_of(frame: bytes) -> Message:
    name = "angel_eye_report" if frame[0] == 5 else "angel_eye_command"
    decoded = angel_eye.decode(name, frame[1:-3])
    assert isinstance(decoded, Decoded)
    (message,) = decoded.messages
    return message


SAID: list[Message] = [
    ShoeReport("started"),
    ShoeReport("standby"),
    ShoeReport("cut_card"),
    ShoeReport("locked"),
    ShoeReport("unlocked"),
    ShoeReport("preset", "0A 1234"),
    CardUnread(),
    CardDrawn("8s", target="player 1", context="game"),
    CardDrawn("Th", target="banker 10", context="game"),
    CardDrawn("2c", target="burn", context="game"),
    CardDrawn("Ad", target=None, context="outside_game"),
    CardDrawn("Kd", target="banker 2", context="redeal_or_repeat"),
    DeviceFault(1, "cannot read"),
    DeviceFault(7, "draw timeout, the shoe is in error mode"),
    DeviceFault(4, "reverse run at the exit", cleared=True),
    *(ShoeReport("result", str(words)) for words in RESULTS.values()),
]


@pytest.mark.parametrize("message", SAID, ids=str)
@pytest.mark.parametrize("sequence", [1, 9])
def test_what_a_shoe_says_comes_back(message: Message, sequence: int) -> None:
    frame = angel_eye.encode_report(message, sequence)
    assert meaning_of(frame) == message
    assert angel_eye.sequence_of(frame) == sequence


def test_all_52_cards_and_no_other_have_a_byte() -> None:
    cards = {str(card) for card in CARDS.values() if not str(card).startswith(UNREAD)}
    assert len(cards) == 52
    assert {card[0] for card in cards} == set("A23456789TJQK")
    assert {card[1] for card in cards} == set("cdhs")
    assert all(byte & 0x80 for byte in CARDS)


def test_a_card_without_a_context_or_a_target_is_a_burn_of_a_game() -> None:
    assert meaning_of(angel_eye.encode_report(CardDrawn("9d"), 3)) == CardDrawn(
        "9d", target="burn", context="game"
    )


def test_an_error_without_words_is_told_in_words() -> None:
    for code, text in ERRORS.items():
        assert meaning_of(angel_eye.encode_report(DeviceFault(code), 2)) == DeviceFault(code, text)


COMMANDS = [
    (HostCommand("lock"), "02 4F 50 4C 4B 30 32 03 31 42"),
    (HostCommand("unlock"), None),
    (HostCommand("gp"), None),
    (HostCommand("error_cancel", {"code": 7}), None),
    (HostCommand("error_cancel", {"code": 99}), None),
]


@pytest.mark.parametrize(("command", "printed"), COMMANDS, ids=str)
def test_host_commands_come_back(command: HostCommand, printed: str | None) -> None:
    frame = angel_eye.encode_command(command)
    assert meaning_of(frame) == command
    assert printed is None or frame == bytes.fromhex(printed)


@pytest.mark.parametrize(
    "message",
    [
        CardDrawn("1d", context="game"),
        CardDrawn("9d", target="player 11", context="game"),
        CardDrawn(tag="E004"),
        DeviceFault(8),
        ShoeReport("result", "dealer"),
        ShoeReport("preset", "0123"),
        ShoeReport("sang"),
        HostCommand("lock"),
    ],
    ids=str,
)
def test_what_a_shoe_cannot_say_is_refused(message: Message) -> None:
    with pytest.raises(ValueError, match=r"cannot|no error|fields|values"):
        angel_eye.encode_report(message, 1)


def test_a_sequence_ends_at_nine() -> None:
    for sequence in (0, 10):
        with pytest.raises(ValueError, match="sequence cannot be"):
            angel_eye.encode_report(ShoeReport("started"), sequence)


@pytest.mark.parametrize(
    ("name", "args", "sentence"),
    [
        ("sing", {}, "has no command sing"),
        ("lock", {"code": 1}, "lock takes no arguments"),
        ("error_cancel", {}, "error_cancel takes code"),
        ("error_cancel", {"code": 100}, "cannot have the code 100"),
        ("error_cancel", {"code": "7"}, "cannot have the code '7'"),
    ],
)
def test_a_command_that_there_is_not_is_refused(name: str, args: dict[str, int | str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        angel_eye.encode_command(HostCommand(name, args))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.TOO_SHORT),
        (b"1", Reason.TOO_SHORT),
        (b"0D\x81\xb8", Reason.IMPLAUSIBLE),
        (b":C", Reason.IMPLAUSIBLE),
        (b"\x00Z", Reason.IMPLAUSIBLE),
        (b"1D\x81", Reason.TOO_SHORT),
        (b"1D\x81\xb8\xb8", Reason.TRAILING),
    ],
)
def test_a_body_that_means_nothing_says_why(body: bytes, reason: Reason) -> None:
    decoded = angel_eye.decode("angel_eye_report", body)
    assert isinstance(decoded, Failure)
    assert decoded.reason is reason


def test_a_code_that_is_not_known_is_kept_with_all_its_bytes() -> None:
    assert angel_eye.decode("angel_eye_report", b"3x\x81\x82") == Decoded((UnknownBody(0x78, "33788182"),))
