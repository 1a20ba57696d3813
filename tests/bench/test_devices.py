"""Bytes -> messages of one frame of each device, one frame per read, beside two peers in the same run.

    python -m pytest tests/bench/test_devices.py --benchmark-enable -s

prints the table of pytest-benchmark, and below it one line per device: bytes of the frame, microseconds and
frames per second, and how many times the frames of each peer that is.

Peers: nfcpy's PN532 driver, from the bytes of a serial port to the target (the reply to a poll for one
ISO 14443A tag, read, checked and taken apart; the request before it is not counted, and its port has the
bytes at hand), and pymodbus's RTU framer, from bytes to the response object (a reply of 8 registers). Two
more lines show both as far as the bytes of the body, which is not yet a message.
"""

import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from nfc.clf import RemoteTarget, pn532, transport
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse
from pytest_benchmark.fixture import BenchmarkFixture

from protocol import (
    angel_eye,
    bee_tek,
    feig_obid,
    hid_keyboard,
    pepper_c1,
    r2000,
    tablelink,
    text_line,
    yrm100,
)
from protocol import pn532 as our_pn532
from protocol.codec import CODECS
from protocol.messages import CardDrawn, Message, Stamp, TagSeen
from shoe_bridge.link.decoder import DecodedFrame, Decoder

FRAMES = 200
VICINITY = [f"E0040150A05F{number:04X}" for number in range(FRAMES)]
TYPE_A = [f"047BCB5196{number:04X}" for number in range(FRAMES)]
EPC = [f"E2003016661301211550{number:04X}" for number in range(FRAMES)]
CARDS = [f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "shdc"]
DRAWS = [CardDrawn(CARDS[number % 52], target="player 1", context="game") for number in range(FRAMES)]
RECORDED = [CardDrawn(CARDS[number % 52], context="game") for number in range(FRAMES)]
LIST_PASSIVE_TARGET = 0x4A
ISO_14443_4 = 0x20  # of nfcpy: other tags would have it write a register

# what one frame of each device says, and as many of them; where a device has two ways, both
FRAMES_OF: dict[tuple[str, str], list[bytes]] = {
    ("tablelink", "tag at an antenna"): [
        tablelink.encode(TagSeen(tag, number % 8 + 1, -40, "iso15693"), Stamp(9, False, False, number))
        for number, tag in enumerate(VICINITY)
    ],
    ("pepper_c1", "tag, binary"): [pepper_c1.encode_uid_event(tag, True) for tag in VICINITY],
    ("pepper_c1", "tag, JSON"): [
        pepper_c1.encode_json_event(tag, 1, "pepper", 1, "ICODE SLIX") for tag in VICINITY
    ],
    ("feig_obid", "inventory of one tag"): [
        feig_obid.encode_inventory([("iso15693", tag)]) for tag in VICINITY
    ],
    ("feig_obid", "record of a buffer"): [
        feig_obid.encode_records([("iso15693", tag, number % 8 + 1)]) for number, tag in enumerate(VICINITY)
    ],
    ("angel_eye", "card drawn"): [
        angel_eye.encode_report(draw, 1 + number % 9) for number, draw in enumerate(DRAWS)
    ],
    ("bee_tek", "card drawn"): [bee_tek.encode_record(draw) for draw in RECORDED],
    ("text_line", "tag of a channel"): [text_line.encode_line("whywaita", tag, 3) for tag in TYPE_A],
    ("hid_keyboard", "ten digits and Enter"): [
        hid_keyboard.encode_text(f"{4981422 + number:010d}") for number in range(FRAMES)
    ],
    ("pn532", "one ISO 14443A tag"): [
        our_pn532.encode_targets([our_pn532.TypeATarget(tag, sak=ISO_14443_4)]) for tag in TYPE_A
    ],
    ("yrm100", "notice of a tag"): [yrm100.encode_notice(tag, -55) for tag in EPC],
    ("r2000", "tag at an antenna"): [r2000.encode_tag(tag, 1, -60) for tag in EPC],
}

NFCPY, NFCPY_FRAME = "nfcpy's PN532, to a target", "nfcpy's PN532, to the body"
MODBUS, MODBUS_FRAME = "pymodbus RTU, to a response", "pymodbus RTU, to the body"
PEERS = (NFCPY, MODBUS)
PARTS = (NFCPY_FRAME, MODBUS_FRAME)

RTU_FRAMER = FramerRTU(DecodePDU(False))
RTU_FRAMES = [
    RTU_FRAMER.buildFrame(ReadHoldingRegistersResponse(registers=[number, *range(7)], dev_id=1))
    for number in range(FRAMES)
]


class Port(io.BytesIO):
    """What nfcpy's transport reads from: the bytes are there already."""

    timeout = 0.0


class Answered(pn532.Chipset):  # type: ignore[misc]
    """nfcpy's own decoding of a reply, without the request before it."""

    def command(self, cmd_code: int, cmd_data: object, timeout: float) -> bytearray:
        return super().command(cmd_code, None, timeout)  # type: ignore[no-any-return]


def nfcpy_device() -> Any:
    """A device of nfcpy on a serial port, that was not asked to start a chip up."""
    device = pn532.Device.__new__(pn532.Device)
    device.log = logging.getLogger("nfcpy")
    device.chipset = Answered(transport.TTY.__new__(transport.TTY), device.log)
    return device


seconds_per_frame: dict[str, float] = {}
sizes: dict[str, int] = {}


@pytest.fixture(scope="module", autouse=True)
def table(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the module: one line per device, beside the peers."""
    yield
    if not all(peer in seconds_per_frame for peer in PEERS):
        return
    lines = [f"{'one frame a read':36} {'bytes':>5} {'us':>7} {'frames/s':>9}  times {' and '.join(PEERS)}"]
    slower = []
    for name, seconds in seconds_per_frame.items():
        row = f"{name:36} {sizes[name]:5} {seconds * 1e6:7.2f} {1 / seconds:9,.0f}"
        if name not in (*PEERS, *PARTS):
            ratios = [seconds_per_frame[peer] / seconds for peer in PEERS]
            row += "  " + " ".join(f"{ratio:.1f}" for ratio in ratios)
            slower += [name] * (min(ratios) < 1)
        lines.append(row)
    lines.append(f"slower than a peer: {', '.join(slower) or 'none'}")
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    with capture.global_and_fixture_disabled():
        print("\n" + "\n".join(lines))


def measured(benchmark: BenchmarkFixture, name: str, frame: bytes, run: Callable[[], object]) -> None:
    benchmark.extra_info["frames"] = FRAMES
    sizes[name] = len(frame)
    benchmark(run)
    if benchmark.stats is not None:
        # the best round, because what else runs on the machine only ever adds
        seconds_per_frame[name] = benchmark.stats.stats.min / FRAMES


def decoded(decoder: Decoder, frames: list[bytes]) -> list[Message]:
    """The messages of these frames, one frame a read. Every read must give exactly its frame."""
    results = [decoder.feed(frame) for frame in frames]
    assert all(len(each) == 1 and isinstance(each[0], DecodedFrame) for each in results)
    return [message for (frame,) in results for message in frame.messages]  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "says"), FRAMES_OF, ids=lambda part: part)
def test_bytes_to_messages(benchmark: BenchmarkFixture, kind: str, says: str) -> None:
    frames = FRAMES_OF[kind, says]
    decoder = Decoder(CODECS[kind])

    def run() -> None:
        for frame in frames:
            decoder.feed(frame)

    measured(benchmark, f"{kind}: {says}", frames[0], run)
    messages = decoded(decoder, frames)
    assert len(messages) == FRAMES
    assert len(set(messages)) >= 52
    assert decoder.pending == 0


def test_nfcpy_frame_to_target(benchmark: BenchmarkFixture) -> None:
    device, asked = nfcpy_device(), RemoteTarget("106A")
    frames = FRAMES_OF["pn532", "one ISO 14443A tag"]
    stream = b"".join(frames)

    def run() -> None:
        device.chipset.transport.tty = Port(stream)
        for _ in range(FRAMES):
            device.sense_tta(asked)

    measured(benchmark, NFCPY, frames[0], run)
    device.chipset.transport.tty = Port(stream)
    assert [device.sense_tta(asked).sdd_res.hex().upper() for _ in range(FRAMES)] == TYPE_A


def test_nfcpy_frame_to_body(benchmark: BenchmarkFixture) -> None:
    device = nfcpy_device()
    frames = FRAMES_OF["pn532", "one ISO 14443A tag"]
    stream = b"".join(frames)

    def run() -> None:
        device.chipset.transport.tty = Port(stream)
        for _ in range(FRAMES):
            device.chipset.command(LIST_PASSIVE_TARGET, None, 1.0)

    measured(benchmark, NFCPY_FRAME, frames[0], run)
    device.chipset.transport.tty = Port(frames[0] + frames[1][:-2] + b"\x00\x00")
    assert device.chipset.command(LIST_PASSIVE_TARGET, None, 1.0).hex().upper().endswith(TYPE_A[0])
    with pytest.raises(OSError, match="error"):
        device.chipset.command(LIST_PASSIVE_TARGET, None, 1.0)


def test_pymodbus_frame_to_response(benchmark: BenchmarkFixture) -> None:
    def run() -> None:
        for frame in RTU_FRAMES:
            RTU_FRAMER.handleFrame(frame, 0, 0)

    measured(benchmark, MODBUS, RTU_FRAMES[0], run)
    used, response = RTU_FRAMER.handleFrame(RTU_FRAMES[7], 0, 0)
    assert used == 21
    assert response is not None
    assert response.registers == [7, *range(7)]


def test_pymodbus_frame_to_body(benchmark: BenchmarkFixture) -> None:
    def run() -> None:
        for frame in RTU_FRAMES:
            RTU_FRAMER.decode(frame)

    measured(benchmark, MODBUS_FRAME, RTU_FRAMES[0], run)
    assert RTU_FRAMER.decode(RTU_FRAMES[0])[0] == 21
