"""Bee-Tek records: the grammar both ways, and the letters that no card has."""

import pytest

from protocol import bee_tek
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


def meaning_of(record: bytes) -> Message:
    name = "bee_tek_in_mode" if record[:1] == b"[" else "bee_tek_bare"
    decoded = bee_tek.decode(name, record[1:-1])
    assert isinstance(decoded, Decoded)
    (message,) = decoded.messages
    return message


@pytest.mark.parametrize("rank", ["2", "9", "T", "J", "Q", "K", "A"])
@pytest.mark.parametrize("suit", ["c", "d", "h", "s"])
def test_a_card_reads_the_same_rank_first_and_suit_first(rank: str, suit: str) -> None:
    card = CardDrawn(rank + suit, context="game")
    assert meaning_of(bee_tek.encode_record(card)) == card
    turned = f"[Game]<Card:{suit.upper()}{rank}>".encode()
    assert meaning_of(turned) == card


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (b"[Game]<Card:10D>", CardDrawn("Td", context="game")),
        (b"[Game]<Card:D10>", CardDrawn("Td", context="game")),
        (b"[GameAlarm]<Card:2C>", CardDrawn("2c", context="game")),
        (b"<Card:2C>", CardDrawn("2c")),
        (b"[Manual Burn Cards]<Game>", CardUnread()),
        (b"[Game]<Alarm:E3 Card Not Read>", DeviceFault(3, "E3 Card Not Read")),
        (b"<Alarm:E120>", DeviceFault(120, "E120")),
        (b"[Game]<Alarm:Jam>", UnknownBody(0x41, b"Alarm:Jam".hex().upper())),
        (b"<W0xfF>", DeviceFault(255, "W0xfF")),
    ],
)
def test_records_of_every_kind(record: bytes, message: Message) -> None:
    assert meaning_of(record) == message


@pytest.mark.parametrize(
    "message",
    [
        CardDrawn("Qh", context="outside_game"),
        CardUnread(),
        DeviceFault(3, "E3 Card Not Read"),
        DeviceFault(1, "W0x01"),
    ],
    ids=str,
)
def test_what_a_shoe_says_comes_back(message: Message) -> None:
    assert meaning_of(bee_tek.encode_record(message)) == message


def test_a_mode_can_be_asked_for() -> None:
    assert bee_tek.encode_record(CardUnread(), "Manual Burn Cards") == b"[Manual Burn Cards]<Game>"


@pytest.mark.parametrize(
    "message",
    [
        CardDrawn("1s", context="game"),
        CardDrawn("9d", context="redeal_or_repeat"),
        CardDrawn(tag="E004"),
        DeviceFault(4, "E3 Card Not Read"),
        DeviceFault(2, "W0x01"),
        DeviceFault(3),
        DeviceFault(3, "E3 Card Not Read", cleared=True),
        DeviceFault(3, "E3 \N{BLACK SPADE SUIT}"),
        ShoeReport("started"),
    ],
    ids=str,
)
def test_what_a_shoe_cannot_say_is_refused(message: Message) -> None:
    with pytest.raises(ValueError, match=r"cannot say|no mode"):
        bee_tek.encode_record(message)


def test_it_takes_no_commands() -> None:
    with pytest.raises(ValueError, match="takes no commands"):
        bee_tek.encode_command(HostCommand("lock"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Card:4s",
        b"Card:0S",
        b"Card:S4S",
        b"Card:4",
        b"Card:100S",
        b"Card:4S ",
        b"Alarm:",
        b"W0x1",
        b"W0x001",
    ],
)
def test_letters_that_no_record_has_mean_nothing(body: bytes) -> None:
    for name, whole in (("bee_tek_bare", body), ("bee_tek_in_mode", b"Game]<" + body)):
        decoded = bee_tek.decode(name, whole)
        assert isinstance(decoded, Failure)
        assert decoded.reason is Reason.UNKNOWN_ID


@pytest.mark.parametrize("mode", ["", "game", "Game ", "Manual Burn", "Shuffle"])
def test_a_mode_that_is_not_known_is_refused_with_its_card(mode: str) -> None:
    assert isinstance(bee_tek.decode("bee_tek_in_mode", f"{mode}]<Card:4S".encode()), Failure)
