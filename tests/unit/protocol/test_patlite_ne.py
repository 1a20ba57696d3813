"""The touch sensor's answers and the light's reports of the NE-USB."""

import pytest

from protocol import patlite_ne
from protocol.messages import Decoded, Failure, HostCommand, KeyPressed, KeyReleased, Reason
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Junk
from shoe_bridge.link.line_codecs import line_codec

CODEC = line_codec("patlite_ne")
TOUCHED, LEFT = KeyPressed(1), KeyReleased(1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [("0001", TOUCHED), ("0000", LEFT), ("80FF", TOUCHED), ("FFFE", LEFT)],
)
def test_bit_0_of_the_second_byte_is_the_sensor(answer: str, message: KeyPressed | KeyReleased) -> None:
    assert patlite_ne.decode("patlite_ne", bytes.fromhex(answer)) == Decoded((message,))


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [
        ("patlite_ne", "", Reason.TOO_SHORT),
        ("patlite_ne", "00", Reason.TOO_SHORT),
        ("patlite_ne", "000100", Reason.TRAILING),
        ("tablelink", "0001", Reason.UNKNOWN_ID),
    ],
)
def test_other_sizes_and_names_are_failures(name: str, answer: str, reason: Reason) -> None:
    decoded = patlite_ne.decode(name, bytes.fromhex(answer))
    assert isinstance(decoded, Failure)
    assert decoded.reason is reason


def test_answers_are_told_apart_by_their_size_however_they_are_cut() -> None:
    stream = bytes.fromhex("0001 0000 8001")
    whole = Decoder(CODEC).feed(stream)
    assert [result.messages for result in whole if isinstance(result, DecodedFrame)] == [
        (TOUCHED,),
        (LEFT,),
        (TOUCHED,),
    ]
    for cut in range(len(stream)):
        decoder = Decoder(CODEC)
        assert decoder.feed(stream[:cut]) + decoder.feed(stream[cut:]) == whole


def test_half_an_answer_is_dropped_when_the_line_is_quiet() -> None:
    decoder = Decoder(CODEC)
    assert decoder.feed(b"\x01") == []
    assert [type(result) for result in decoder.idle()] == [Junk]
    assert decoder.pending == 0
    assert [type(result) for result in decoder.feed(b"\x00\x01")] == [DecodedFrame]


def test_the_question_and_the_colours() -> None:
    assert patlite_ne.encode_command(HostCommand("get_state")).hex() == "0080" + "00" * 6
    colours = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (255, 140, 0), (0, 0, 255), (255, 0, 255)]
    colours += [(0, 255, 255), (255, 255, 255)]
    assert [patlite_ne.control("steady", *rgb)[4] >> 4 for rgb in colours] == list(range(8))


@pytest.mark.parametrize(
    "command",
    [
        HostCommand("get_version"),
        HostCommand("set_light", {"pattern": "wild", "red": 0, "green": 0, "blue": 0}),
        HostCommand("set_light", {"pattern": "steady", "red": 0, "green": 0}),
    ],
)
def test_what_it_cannot_do_is_refused(command: HostCommand) -> None:
    with pytest.raises(ValueError, match="a patlite_ne has no command"):
        patlite_ne.encode_command(command)
