"""The telnet under a serial server: the same plain bytes and commands however the connection was cut."""

import random

import pytest

from shoe_bridge.adapters.rfc2217 import BrokenTelnetError, TelnetStream

IAC, SB, SE, WILL, DONT, NOP = 0xFF, 0xFA, 0xF0, 0xFB, 0xFE, 0xF1
STREAM = b"".join(
    (
        b"tag",
        bytes([IAC, IAC]),  # FF itself
        bytes([IAC, WILL, 44]),
        b"more",
        bytes([IAC, SB, 44, 101, IAC, IAC, 0, IAC, SE]),
        bytes([IAC, NOP, IAC, DONT, 1]),
        b"end",
    )
)


class Taken:
    def __init__(self) -> None:
        self.commands: list[tuple[bytes, ...]] = []
        self.stream = TelnetStream(
            lambda command, option: self.commands.append((command, option)),
            lambda content: self.commands.append((content,)),
        )


def test_plain_bytes_and_commands_are_told_apart_at_every_cut() -> None:
    for cut in range(len(STREAM) + 1):
        taken = Taken()
        plain = taken.stream.take(STREAM[:cut]) + taken.stream.take(STREAM[cut:])
        assert plain == b"tag\xffmoreend"
        assert taken.commands == [(b"\xfb", b"\x2c"), (b"\x2c\x65\xff\x00",), (b"\xfe", b"\x01")]


@pytest.mark.parametrize("broken", [bytes([IAC, SE]), bytes([IAC, SB]) + bytes(1025)])
def test_what_is_no_telnet_is_refused(broken: bytes) -> None:
    with pytest.raises(BrokenTelnetError, match="its serial server"):
        Taken().stream.take(b"tag" + broken)


def test_noise_is_plain_bytes_or_refused() -> None:
    rng = random.Random(3)
    refusals = 0
    for _ in range(300):
        taken = Taken()
        try:
            for _ in range(20):
                taken.stream.take(bytes(rng.choice((0, 44, IAC, SB, SE, WILL)) for _ in range(20)))
        except BrokenTelnetError:
            refusals += 1
    assert 0 < refusals <= 300
