"""Bytes -> messages of a 22-byte tablelink tag frame, with two peers measured in the same run.

    python -m pytest tests/bench/test_decode.py --benchmark-enable

prints the table of pytest-benchmark, and below it each peer's time as a multiple of ours.

Peers: pymodbus's RTU framer taking its 21-byte reply (8 registers) to a response object, and construct
parsing the same tag frame whole, checksum included.
"""

import binascii
from collections.abc import Callable, Iterator

import construct as cs
import pytest
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse
from pytest_benchmark.fixture import BenchmarkFixture

from protocol.codec import CODECS
from protocol.messages import Stamp, TagSeen
from protocol.tablelink import encode
from protocol.tablelink_layout import BODIES
from shoe_bridge.link.decoder import DecodedFrame, Decoder

FRAMES = 500
TAGS = [f"E0040150A05F{number:04X}" for number in range(FRAMES)]
TAG_FRAMES = [
    encode(TagSeen(tag, number % 8 + 1, -40, "iso15693"), Stamp(9, False, False, 1000 + number))
    for number, tag in enumerate(TAGS)
]
STREAM = b"".join(TAG_FRAMES)
RTU_FRAMER = FramerRTU(DecodePDU(False))
RTU_FRAME = RTU_FRAMER.buildFrame(ReadHoldingRegistersResponse(registers=list(range(8)), dev_id=1))

WHOLE_FRAME = cs.Struct(
    "start" / cs.Const(b"\x7e"),
    "covered"
    / cs.RawCopy(cs.Struct("length" / cs.Int8ub, "body" / cs.FixedSized(cs.this.length, BODIES["tag/8"]))),
    "check" / cs.Checksum(cs.Int16ul, lambda raw: binascii.crc_hqx(raw, 0xFFFF), cs.this.covered.data),
    cs.Terminated,
)

seconds_per_frame: dict[str, float] = {}


@pytest.fixture(scope="module", autouse=True)
def ratios(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the module: what each peer costs, in ours."""
    yield
    if "tablelink" not in seconds_per_frame:
        return
    ours = seconds_per_frame.pop("tablelink")
    lines = [f"tablelink, 22 bytes to a message: {ours * 1e6:.2f} us per frame"]
    for name, peer in seconds_per_frame.items():
        lines.append(f"{name}: {peer * 1e6:.2f} us per frame, tablelink takes {ours / peer:.2f} of it")
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    with capture.global_and_fixture_disabled():
        print("\n" + "\n".join(lines))


def measured(benchmark: BenchmarkFixture, name: str, run: Callable[[], object]) -> None:
    benchmark.extra_info["frames"] = FRAMES
    benchmark(run)
    if benchmark.stats is not None:
        # the best round, because what else runs on the machine only ever adds
        seconds_per_frame[name] = benchmark.stats.stats.min / FRAMES


def test_tablelink_bytes_to_messages(benchmark: BenchmarkFixture) -> None:
    decoder = Decoder(CODECS["tablelink"])
    measured(benchmark, "tablelink", lambda: decoder.feed(STREAM))
    tags = [r.messages[0].tag for r in decoder.feed(STREAM) if isinstance(r, DecodedFrame)]  # type: ignore[attr-defined]
    assert tags == TAGS


def test_tablelink_one_frame_per_chunk(benchmark: BenchmarkFixture) -> None:
    decoder = Decoder(CODECS["tablelink"])

    def run() -> int:
        return sum(len(decoder.feed(frame)) for frame in TAG_FRAMES)

    measured(benchmark, "tablelink, one frame per read", run)
    assert run() == FRAMES


def test_pymodbus_rtu_frame(benchmark: BenchmarkFixture) -> None:
    assert len(RTU_FRAME) == 21

    def run() -> None:
        for _ in range(FRAMES):
            RTU_FRAMER.handleFrame(RTU_FRAME, 0, 0)

    measured(benchmark, "pymodbus RTU framer, 21 bytes to a response", run)
    used, response = RTU_FRAMER.handleFrame(RTU_FRAME, 0, 0)
    assert used == 21
    assert response is not None
    assert response.registers == list(range(8))


def test_pymodbus_rtu_frame_without_its_response(benchmark: BenchmarkFixture) -> None:
    def run() -> None:
        for _ in range(FRAMES):
            RTU_FRAMER.decode(RTU_FRAME)

    measured(benchmark, "pymodbus RTU framer, 21 bytes to a frame only", run)
    assert RTU_FRAMER.decode(RTU_FRAME)[0] == 21


def test_construct_whole_frame(benchmark: BenchmarkFixture) -> None:
    def run() -> None:
        for frame in TAG_FRAMES:
            WHOLE_FRAME.parse(frame)

    measured(benchmark, "construct, the same frame with its check", run)
    parsed = [WHOLE_FRAME.parse(frame).covered.value.body.uid for frame in TAG_FRAMES]
    assert parsed == TAGS
    with pytest.raises(cs.ChecksumError):
        WHOLE_FRAME.parse(TAG_FRAMES[0][:-1] + b"\x00")
