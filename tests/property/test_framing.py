"""Laws of the way from bytes to messages: what comes out depends on the bytes and on nothing else."""

import random
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import (
    angel_eye,
    bee_tek,
    feig_obid,
    hid_keyboard,
    pepper_c1,
    pn532,
    r2000,
    tablelink,
    text_line,
    yrm100,
)
from protocol.codec import CODECS
from protocol.messages import (
    CardDrawn,
    DealerEntry,
    Decoded,
    HostCommand,
    KeyPressed,
    LightReport,
    Message,
    PollEmpty,
    Stamp,
    TagGone,
    TagSeen,
)
from protocol.tablelink_layout import ENTRY_WORDS, PATTERNS, UID_SIZES
from protocol.vectors import vectors_of
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Junk

Results = list[DecodedFrame | Junk]
KINDS = list(CODECS)
# a stream that is long enough for all reasons to stand next to each other, and short enough to cut everywhere
STREAMS = {kind: b"".join(vector.stream for vector in vectors_of(kind)) for kind in KINDS}
GOOD = {
    "tablelink": tablelink.encode(PollEmpty(3), Stamp(9, False, False, 77)),
    "pepper_c1": pepper_c1.encode_command(HostCommand("dummy")),
    "feig_obid": feig_obid.encode_inventory([("iso15693", "E0040150A05F02B7")]),
    "angel_eye": angel_eye.encode_report(CardDrawn("8s", target="player 1", context="game"), 1),
    "bee_tek": bee_tek.encode_record(CardDrawn("4s", context="game")),
    "pn532": pn532.encode_targets([pn532.TypeATarget("047BCB51962280")]),
    "yrm100": yrm100.encode_notice("30751FEB705C5904E3D50D70", -55),
    "r2000": r2000.encode_tag("E200301666130121155074EF", 1, -60),
    "text_line": text_line.encode_line("whywaita", "040E3BD2286B85", 3),
    "hid_keyboard": hid_keyboard.encode_text("0004981422"),
}
# a line is told from noise before it by a line end only
BEHIND_NOISE = {"text_line": b"\n"}
# the end of a frame that, if it is hit, takes the next one with it: a line end, Enter and its release
ENDS = {"text_line": 2, "hid_keyboard": 18}


def whole(data: bytes) -> Iterator[bytes]:
    yield data


def one_byte(data: bytes) -> Iterator[bytes]:
    for index in range(len(data)):
        yield data[index : index + 1]


def ragged(data: bytes) -> Iterator[bytes]:
    rng = random.Random(len(data))
    while data:
        size = rng.randrange(1, 40)
        yield data[:size]
        data = data[size:]


TRANSPORTS: list[Callable[[bytes], Iterator[bytes]]] = [whole, one_byte, ragged]


def results_of(kind: str, chunks: Iterator[bytes] | list[bytes]) -> tuple[Results, int, dict[str, int]]:
    decoder = Decoder(CODECS[kind])
    results = [result for chunk in chunks for result in decoder.feed(chunk)]
    results += decoder.finish()
    return results, decoder.pending, decoder.counters


def messages_in(results: Results) -> list[Message]:
    return [message for result in results if isinstance(result, DecodedFrame) for message in result.messages]


def bare(raw: bytes) -> bytes:
    """A frame without zeros around it: one that lost its closing zero takes the first one of the next."""
    return raw.strip(b"\0")


def telling(results: Results) -> Results:
    """Without what only fills the space between two frames: a quiet line may cut that in two."""
    return [result for result in results if isinstance(result, Junk) or result.messages]


@pytest.mark.parametrize(
    ("kind", "stream"),
    [(kind, vector.stream) for kind in KINDS for vector in vectors_of(kind)],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_every_vector_cut_at_every_offset_reads_the_same(kind: str, stream: bytes) -> None:
    uncut = results_of(kind, [stream])
    for cut in range(len(stream) + 1):
        assert results_of(kind, [stream[:cut], stream[cut:]]) == uncut


@pytest.mark.parametrize("transport", TRANSPORTS, ids=lambda transport: transport.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_all_vectors_in_one_stream_read_the_same_by_any_transport(
    kind: str, transport: Callable[[bytes], Iterator[bytes]]
) -> None:
    assert results_of(kind, transport(STREAMS[kind])) == results_of(kind, [STREAMS[kind]])


def closed(kind: str) -> list[bytes]:
    """The streams of whole frames that are told from what comes next without a quiet line."""
    streams = [vector.stream for vector in vectors_of(kind) if not vector.is_negative]
    if kind not in ENDS:
        return streams
    return [stream for stream in streams if not _is_open(Decoder(CODECS[kind]), stream)]


def _is_open(decoder: Decoder, stream: bytes) -> bool:
    decoder.feed(stream)
    return decoder.pending > 0


def single(kind: str) -> list[bytes]:
    """Those of one frame."""
    lines = {vector.stream: len(vector.expect) for vector in vectors_of(kind)}
    return [stream for stream in closed(kind) if lines[stream] == 1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lossy_transport_costs_the_frames_it_hit_and_no_other(kind: str) -> None:
    rng = random.Random(11)
    frames = single(kind)
    for _ in range(60):
        at = rng.randrange(len(frames) - 3)
        hit = bytearray(frames[at])
        where = rng.randrange(max(1, len(hit) - ENDS.get(kind, 0)))
        if rng.random() < 0.5:
            del hit[where]
        else:
            hit[where] ^= 1 << rng.randrange(8)
        before, *after = frames[at + 1 : at + 4]
        stream = b"".join([before, bytes(hit), *after])
        decoder = Decoder(CODECS[kind])
        results = decoder.feed(stream)
        # a start byte inside a damaged frame may hold bytes of the next one, but only until the line is quiet
        for _ in range(len(stream)):
            results += decoder.idle()
        got = [result.raw for result in results if isinstance(result, DecodedFrame)]
        assert got[:1] == [before]
        assert [bare(raw) for raw in got[-len(after) :]] == [bare(raw) for raw in after]
        assert b"".join(result.raw for result in results) == stream


@pytest.mark.parametrize("kind", KINDS)
def test_a_delayed_transport_changes_nothing_between_whole_frames(kind: str) -> None:
    frames = closed(kind)
    decoder = Decoder(CODECS[kind])
    results: Results = []
    for frame in frames:
        results += decoder.idle() + decoder.feed(frame) + decoder.idle()
    assert telling(results) == telling(results_of(kind, [b"".join(frames)])[0])


# what may stand before a frame, so that it begins nothing, begins a frame that cannot be, or one that could
BEFORE = {
    "text_line": [
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n\r",
        b"[Channel] 0 [UID: 04 0e\n",
        b"04 06\r\n",
        b"\xff" * 50 + b"\n",
        b"\x00" * 50 + b"\r",
        b"x" * 700 + b"\n",
    ],
    "hid_keyboard": [
        b"\xff" * 50,
        b"\x00\x00\x28\x00\x00\x00\x00\x00\xff",
        b"\x00\x00\x29",
        b"\x7e\x20",
        b"\x10",
        b"\x01\xff",
        b"\x00\x01",
    ],
    "tablelink": [b"\x7e", b"\x7e\x7e", b"\x7e\x20", b"\x7e\x20\x7e\x1f", b"\x00\x7e\x05", b"\xff" * 50],
    "pepper_c1": [
        b"\xf5",
        b"\xf5\x10\x00\xef\xff",
        b"\xf5\x00\x02\xff\xfd",
        b"\xf5\x03\x00\xfc",
        b"\xfe\x08",
        b"{",
        b'{"a":"',
        b'{"a":{',
        b'{"type":"uid","uid":"04AABBCCDDEEFF"',
        b"\xe2\x82",
        b"\xff" * 50,
    ],
    "feig_obid": [
        b"\x05",
        b"\x11\x00\xb0",
        b"\x06\x00\xb0\x01",
        b"\x02",
        b"\x02\x00\x0f\x00\x65",
        b"\x02\x1f\xff\x00",
        b"\x00" * 20,
        b"\xff" * 50,
        b"\xff" * 300,
    ],
    "angel_eye": [b"\x05", b"\x02", b"\x051D\x81", b"\x051D\x81\xb8\x034", b"\x02OPLK", b"\x05" + b"1" * 40],
    "pn532": [
        b"\x00",
        b"\x00" * 20,
        b"\x00\x00\xff",
        b"\x00\x00\xff\x00",
        b"\x00\x00\xff\x0c\xf4\xd5",
        b"\x00\x00\xff\xff\x01\xd5",
        b"\x00\x00\xff\xff\xff\x01\x09\xf6",
        b"\xff" * 50,
    ],
    "yrm100": [b"\xbb", b"\xbb\xbb", b"\xbb\x02\x22\x00", b"\xbb\x02\x22\x01\x00", b"\x7e", b"\xff" * 50],
    "r2000": [b"\xa0", b"\xa0\xa0", b"\xa0\xff", b"\xa0\x04\x01", b"\xa0\x02", b"\xff" * 50],
    "bee_tek": [b"[", b"<", b"[Game", b"[Game]<", b"[Game]<Card:4", b"<W0x0", b"<" + b"x" * 60, b"\xff" * 50],
}


@pytest.mark.parametrize(("kind", "before"), [(kind, before) for kind in KINDS for before in BEFORE[kind]])
def test_a_finite_stream_gives_its_last_frame_whatever_stands_before_it(kind: str, before: bytes) -> None:
    for frame in single(kind):
        if before[:1] == frame[:1] == b"{":
            continue  # a text within a begun string is part of it
        if frame.startswith(b"\x00\xff"):
            continue  # a frame without its preamble may be the end of what was begun
        stream = before + frame
        whole_stream = results_of(kind, [stream])
        assert [r.raw for r in whole_stream[0] if isinstance(r, DecodedFrame)][-1:] == [frame]
        assert whole_stream[1] == 0
        assert results_of(kind, one_byte(stream)) == whole_stream
        assert results_of(kind, ragged(stream)) == whole_stream


@pytest.mark.parametrize("kind", KINDS)
def test_no_byte_is_lost_or_made(kind: str) -> None:
    rng = random.Random(4)
    for _ in range(40):
        noise = rng.randbytes(rng.randrange(200))
        decoder = Decoder(CODECS[kind])
        results = decoder.feed(noise + STREAMS[kind][:300]) + decoder.finish()
        spoken = b"".join(result.raw for result in results)
        assert (noise + STREAMS[kind][:300])[: len(spoken)] == spoken
        assert len(spoken) + decoder.pending == len(noise) + 300


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(KINDS), data=st.data())
def test_any_cutting_of_any_bytes_reads_the_same(kind: str, data: st.DataObject) -> None:
    pieces = st.one_of(
        st.binary(max_size=30),
        st.sampled_from([vector.stream for vector in vectors_of(kind)]),
        st.sampled_from([b"\x7e", b"\xf5", b"{", b'{"', b"\x7e\x20", b"\xf5\x03\x00\xfc\xff", b"\r", b"\n"]),
    )
    stream = b"".join(data.draw(st.lists(pieces, max_size=8)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    edges = [0, *cuts, len(stream)]
    chunks = [stream[start:stop] for start, stop in pairwise(edges)]
    assert results_of(kind, chunks) == results_of(kind, [stream])


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(KINDS), noise=st.binary(max_size=80), cut=st.integers(0, 60))
def test_after_any_noise_a_good_frame_is_delivered(kind: str, noise: bytes, cut: int) -> None:
    decoder = Decoder(CODECS[kind])
    stream = noise + BEHIND_NOISE.get(kind, b"") + GOOD[kind]
    results = decoder.feed(stream[:cut]) + decoder.feed(stream[cut:])
    # whatever the noise began is over after a quiet line
    results += decoder.idle()
    raws = [result.raw for result in results if isinstance(result, DecodedFrame)]
    # noise may by chance hold the good frame's own beginning and still be a frame; the good one is the last
    if kind == "hid_keyboard":  # releases may stand before the first key
        raws[-1:] = [raw[-len(GOOD[kind]) :] for raw in raws[-1:] if not raw[: -len(GOOD[kind])].strip(b"\0")]
    assert raws[-1:] == [GOOD[kind]]


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from(KINDS), stream=st.binary(max_size=200), cut=st.integers(0, 200))
def test_a_snapshot_between_any_two_bytes_changes_nothing(kind: str, stream: bytes, cut: int) -> None:
    stream = stream[:100] + GOOD[kind] + stream[100:]
    first, second, uncut = (Decoder(CODECS[kind]) for _ in range(3))
    results = first.feed(stream[:cut])
    second.restore(first.snapshot())
    results += second.feed(stream[cut:]) + second.idle()
    assert results == uncut.feed(stream) + uncut.idle()
    assert second.counters == uncut.counters


@st.composite
def tags(draw: st.DrawFn) -> str:
    size = draw(st.sampled_from(UID_SIZES))
    return draw(st.binary(min_size=size, max_size=size)).hex().upper()


ANTENNAS = st.integers(1, 32)
EVENTS = st.one_of(
    st.builds(
        TagSeen, tags(), ANTENNAS, st.none() | st.integers(-127, 127), st.sampled_from([None, "iso15693"])
    ),
    st.builds(TagGone, tags(), ANTENNAS),
    st.builds(KeyPressed, st.integers(1, 64)),
    st.builds(
        DealerEntry,
        st.sampled_from(ENTRY_WORDS),
        st.none() | st.integers(0, 254),
        st.none() | st.integers(0, 2**32 - 2),
    ),
)
REPORTS = st.one_of(
    st.builds(PollEmpty, ANTENNAS),
    st.builds(
        LightReport,
        st.integers(1, 16),
        st.sampled_from([str(pattern) for pattern in PATTERNS.values()]),
        *[st.integers(0, 255)] * 3,
        st.booleans(),
    ),
)
SEQS, CLOCKS = st.integers(0, 65535), st.integers(0, 2**32 - 1)
SAID = st.one_of(
    st.tuples(EVENTS, st.builds(Stamp, SEQS, st.just(True), st.booleans(), CLOCKS)),
    st.tuples(REPORTS, st.builds(Stamp, SEQS, st.just(False), st.just(False), CLOCKS)),
)


@settings(max_examples=150, deadline=None)
@given(said=st.lists(SAID, max_size=6))
def test_whatever_a_tablelink_device_says_comes_back(said: list[tuple[Message, Stamp]]) -> None:
    stream = b"".join(tablelink.encode(message, stamp) for message, stamp in said)
    results = Decoder(CODECS["tablelink"]).feed(stream)
    assert [result for result in results if isinstance(result, Junk)] == []
    assert [(r.messages[0], r.stamp) for r in results if isinstance(r, DecodedFrame)] == said


@settings(max_examples=60, deadline=None)
@given(
    tag=tags(),
    antenna=st.none() | st.integers(1, 8),
    name=st.text(max_size=40),
    tag_type=st.sampled_from(["MIFARE Classic", "ICODE SLIX"]),
    pretty=st.booleans(),
)
def test_whatever_a_pepper_says_in_json_comes_back(
    tag: str, antenna: int | None, name: str, tag_type: str, pretty: bool
) -> None:
    if tag_type == "ICODE SLIX":
        tag = "E0" + tag[2:]
    text = pepper_c1.encode_json_event(tag, antenna, name, 1, tag_type, pretty=pretty)
    results = Decoder(CODECS["pepper_c1"]).feed(GOOD["pepper_c1"] + text + GOOD["pepper_c1"])
    seen = TagSeen(tag, antenna, tag_type=tag_type, device_name=name)
    assert messages_in(results) == [HostCommand("dummy"), seen, HostCommand("dummy")]


SHORT_COMMANDS = [
    HostCommand("hello_request"),
    HostCommand("ack_events", {"seq": 5}),
    HostCommand("clock_request", {"token": 1}),
]


@settings(max_examples=200, deadline=None)
@given(data=st.data(), flipped=st.integers(0, 23 * 8 - 1))
def test_a_tag_s_bytes_cannot_forge_a_frame(data: st.DataObject, flipped: int) -> None:
    """A stranger may bring a tag whose bytes are a frame. Neither whole nor damaged does its frame speak for
    the device: the shortest device frame (12 bytes) is longer than the longest tag (10 bytes)."""
    command = data.draw(st.sampled_from(SHORT_COMMANDS))
    inner = tablelink.encode_command(command)
    inner = (b"\x7e" * 10 + inner)[-10:] if data.draw(st.booleans()) else (inner + b"\x7e" * 10)[:10]
    carrier = tablelink.encode(TagSeen(inner.hex().upper(), 1), Stamp(1, True, False, 5))
    assert messages_in(Decoder(CODECS["tablelink"]).feed(carrier)) == [TagSeen(inner.hex().upper(), 1)]

    damaged = bytearray(carrier)
    damaged[flipped // 8] ^= 1 << flipped % 8
    decoder = Decoder(CODECS["tablelink"])
    results = decoder.feed(bytes(damaged) + GOOD["tablelink"])
    for _ in range(40):
        results += decoder.idle()
    from_device = [m for m in messages_in(results) if not isinstance(m, HostCommand)]
    assert from_device == [PollEmpty(3)]


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from(KINDS), body=st.binary(max_size=40))
def test_a_body_is_a_message_or_a_failure_and_nothing_else(kind: str, body: bytes) -> None:
    for envelope in CODECS[kind].envelopes:
        decoded = CODECS[kind].decode(envelope.name, body)
        if isinstance(decoded, Decoded):
            assert decoded.messages
        else:
            assert decoded.reason
