"""A coverage-guided run of one kind's deframer and codec, as long as one likes. pytest does not collect it.

    python -m venv /tmp/fuzz && /tmp/fuzz/bin/pip install atheris construct==2.10.70 msgspec
    PYTHONPATH=. /tmp/fuzz/bin/python tests/fuzz/coverage_guided.py feig_obid -max_total_time=300

The first argument is the kind; those behind it go to libFuzzer: `-max_total_time` in seconds, `-runs`, and a
folder in which inputs are kept from run to run. It begins with the documented streams of the kind. The first
two bytes of an input say how the rest is cut, where the line goes quiet and where a snapshot is taken.

Held to be true of every input: nothing raises; the results are the same for every cut; what comes out,
joined, is what went in; no more is held back than two longest frames; a snapshot changes nothing; after as
many idle gaps as bytes nothing is held, and then a good frame is delivered. A finding is kept by libFuzzer as
`crash-...`: run the same command with that file as the last argument to see it again, then make a test of it.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["protocol", "shoe_bridge.link"]):
    from protocol.codec import CODECS
    from protocol.vectors import vectors_of
    from shoe_bridge.link.decoder import DecodedFrame, Decoder
    from shoe_bridge.link.deframer import Junk

LONGEST_INPUT = 4096


def joined(results: list[DecodedFrame | Junk]) -> bytes:
    return b"".join(result.raw for result in results)


def fed(decoder: Decoder, stream: bytes, cut: int) -> list[DecodedFrame | Junk]:
    chunks = [stream[at : at + cut] for at in range(0, len(stream), cut)]
    return [result for chunk in chunks for result in decoder.feed(chunk)]


def check(kind: str, good: bytes, data: bytes) -> None:
    """Raises AssertionError where one of the laws does not hold for this input."""
    if len(data) < 3:
        return
    cut, middle, stream = data[0] % 64 + 1, data[1] * (len(data) - 2) // 255, data[2:]
    whole, cut_up = Decoder(CODECS[kind]), Decoder(CODECS[kind])
    most = 2 * max(envelope.longest for envelope in CODECS[kind].envelopes)
    results = whole.feed(stream)
    assert fed(cut_up, stream, cut) == results
    assert (cut_up.pending, cut_up.counters) == (whole.pending, whole.counters)
    assert len(joined(results)) + whole.pending == len(stream)
    assert stream.startswith(joined(results))
    assert whole.pending < most

    first, second, kept = Decoder(CODECS[kind]), Decoder(CODECS[kind]), Decoder(CODECS[kind])
    before = first.feed(stream[:middle])
    second.restore(first.snapshot())
    quiet = before + second.idle() + second.feed(stream[middle:])
    assert quiet == kept.feed(stream[:middle]) + kept.idle() + kept.feed(stream[middle:])

    results += whole.finish()
    for _ in range(len(stream) + 1):
        if not whole.pending:
            break
        results += whole.idle()
    assert whole.pending == 0
    assert joined(results) == stream
    behind = whole.feed(good) + whole.idle()
    assert any(isinstance(result, DecodedFrame) and result.raw.endswith(good) for result in behind)


def main(kind: str, arguments: list[str]) -> None:
    positive = [vector.stream for vector in vectors_of(kind) if not vector.is_negative]
    alone = [stream for stream in positive if is_alone(kind, stream)]
    with tempfile.TemporaryDirectory() as seeds:
        for number, vector in enumerate(vectors_of(kind)):
            (Path(seeds) / f"{number:03}").write_bytes(bytes((16, 128)) + vector.stream)
        options = [f"-max_len={LONGEST_INPUT}", *arguments]
        if not any(Path(argument).is_file() for argument in arguments):
            options.append(seeds)
        atheris.Setup([sys.argv[0], *options], lambda data: check(kind, alone[0], data))
        atheris.Fuzz()


def is_alone(kind: str, stream: bytes) -> bool:
    """Whether it is one whole frame that needs no quiet line to be told."""
    decoder = Decoder(CODECS[kind])
    results = decoder.feed(stream)
    return [type(result) for result in results] == [DecodedFrame] and not decoder.pending


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CODECS:
        sys.exit(f"name a kind first: {', '.join(CODECS)}")
    main(sys.argv[1], sys.argv[2:])
