"""Where no frame begins, some devices' questions pass many bytes at once: the answers stay what they are."""

import random

import pytest

from protocol.codec import CODECS
from protocol.hid_keyboard import envelopes_of
from protocol.hid_reports import LAYOUTS
from protocol.vectors import vectors_of
from shoe_bridge.link.deframer import Deframer, Frame, Junk
from shoe_bridge.link.frame_starts import start_of

ENVELOPES = {kind: codec.envelopes for kind, codec in CODECS.items()}
ENVELOPES |= {f"hid_keyboard, {layout}": envelopes_of(layout) for layout in LAYOUTS}
SKIPPING = [name for name, envelopes in ENVELOPES.items() if any(start_of(each).skip for each in envelopes)]


def streams(kind: str, rng: random.Random) -> list[bytes]:
    """Documented streams in any order with wrong bits, lost and added bytes, zeros and noise."""
    seeds = [vector.stream for vector in vectors_of(kind) if vector.stream]
    found = []
    for _ in range(60):
        stream = bytearray(b"".join(rng.choices(seeds, k=8)))
        for _ in range(rng.randrange(20)):
            at = rng.randrange(len(stream))
            stream[at] ^= 1 << rng.randrange(8)
        for _ in range(rng.randrange(6)):
            at = rng.randrange(len(stream))
            gone = rng.randrange(3)
            more = (b"", bytes(rng.randrange(40)), b"\xff" * rng.randrange(300), rng.randbytes(9))
            stream[at : at + gone] = rng.choice(more)
        found.append(bytes(stream))
    return found


def results_of(name: str, stream: bytes, cut: int) -> tuple[list[Frame | Junk], int, dict[str, int]]:
    deframer = Deframer(ENVELOPES[name])
    results: list[Frame | Junk] = []
    for at in range(0, len(stream), cut):
        results += deframer.feed(stream[at : at + cut])
        if at % 7 == 0:
            results += deframer.idle()
    return results + deframer.finish(), deframer.pending, deframer.counters


def test_these_devices_have_one() -> None:
    assert {name.split(",")[0] for name in SKIPPING} == {"feig_obid", "text_line", "hid_keyboard"}


@pytest.mark.parametrize("name", SKIPPING)
def test_nothing_is_skipped_that_one_step_at_a_time_would_find(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"skips {name}")
    cases = [(stream, rng.choice((1, 17, 5000))) for stream in streams(name.split(",", maxsplit=1)[0], rng)]
    skipped = [results_of(name, *case) for case in cases]
    monkeypatch.setattr(
        "shoe_bridge.link.deframer.start_of", lambda envelope: start_of(envelope)._replace(skip=None)
    )
    assert [results_of(name, *case) for case in cases] == skipped
    # junk is not all that there is: frames are found among it
    assert sum(isinstance(result, Frame) for results, _, _ in skipped for result in results) > 20
