"""Observations made from polls are those that real frames of the simulated devices lead to."""

import pytest
from msgspec.structs import replace

from shoe_bridge.cli import bench_bytes
from shoe_bridge.cli.bench_bytes import Wire
from shoe_bridge.cli.bench_run import Chunk, dealt_in, readers_for
from shoe_bridge.cli.bench_table import Case, model_for, setup_for
from shoe_bridge.sim.deal_polls import Polls, quiet_air
from shoe_bridge.table.observations import (
    AlertOverdue,
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardReadAgain,
    CardStays,
    KeyPressed,
    LinkRestored,
    TimePassed,
)

# Questions to a Pepper come 100 ms apart at the least, and are answered between two of its polls.
ANSWER_NS = 160_000_000
NOT_OF_READS = (LinkRestored, TimePassed, AlertOverdue)


def chunk(reader: str, level: str, has_shoe: bool = False) -> Chunk:
    return Chunk(Case(reader, level, has_shoe), 7, 0, 3, False)


def from_bytes(of: Chunk, monkeypatch: pytest.MonkeyPatch) -> list[AnyObservation]:
    seen: list[AnyObservation] = []
    # what the fold makes of them is no matter here, so it need not infer; the links tell all reads
    monkeypatch.setattr(bench_bytes, "setup_for", lambda case, button, _: setup_for(case, button, None))
    wire = Wire(of, lambda step, _: seen.extend(event.observation for event in step.events))
    wire.core.presence.reads_told = model_for(of.case).reads_told
    wire.start()
    for hand in dealt_in(of):
        wire.play(hand)
    return [each for each in seen if not isinstance(each, NOT_OF_READS)]


def from_polls(of: Chunk) -> list[AnyObservation]:
    polls = Polls(of.case.reader, quiet_air(of.case.level, of.name))
    readers = readers_for(of.case, polls)
    readers.start()
    return [each for hand in dealt_in(of) for done in polls.follow(hand) for each in readers.take(done)]


@pytest.mark.parametrize("level", ["typical", "poor"])
@pytest.mark.parametrize("has_shoe", [False, True])
def test_tablelink_is_the_same_to_the_nanosecond(level, has_shoe, monkeypatch):
    of = chunk("tablelink", level, has_shoe)
    seen = from_polls(of)
    assert from_bytes(of, monkeypatch) == seen
    kinds = {type(each) for each in seen}
    assert kinds >= {CardArrived, CardReadAgain, CardDeparted, CardStays, KeyPressed}
    assert (CardDrawn in kinds) is has_shoe


@pytest.mark.parametrize("level", ["typical", "poor"])
def test_pepper_is_the_same_but_for_the_moment_of_a_proof_of_absence(level, monkeypatch):
    of = chunk("pepper_c1", level)
    wire, polls = from_bytes(of, monkeypatch), from_polls(of)
    for one, other in zip(_ordered(wire), _ordered(polls), strict=True):
        if isinstance(one, CardDeparted):
            assert abs(one.not_after_ns - other.not_after_ns) <= ANSWER_NS
            assert replace(one, not_after_ns=other.not_after_ns) == other
        else:
            assert one == other


def _ordered(seen: list[AnyObservation]) -> list[AnyObservation]:
    """Departures by themselves: where two proofs come close together their order may differ."""
    departed = [each for each in seen if isinstance(each, CardDeparted)]
    departed.sort(key=lambda each: (each.tag, each.place, each.not_before_ns))
    return [each for each in seen if not isinstance(each, CardDeparted)] + departed
