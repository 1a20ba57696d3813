"""The sample from the bytes up: the whole core, and readers that lose their plugs."""

import pytest
from msgspec.structs import replace

from shoe_bridge.cli import bench_bytes
from shoe_bridge.cli.bench_bytes import Wire, play_bytes
from shoe_bridge.cli.bench_run import Chunk, dealt_in
from shoe_bridge.cli.bench_table import Case
from shoe_bridge.sim.noise import NOISE_LEVELS
from shoe_bridge.table.observations import CardArrived, KeyPressed, LinkLost, LinkRestored

CLEAN = Chunk(Case("tablelink", "clean"), 5, 0, 1, True)


def test_both_bridges_are_scored_on_the_same_hands():
    played = play_bytes(CLEAN)
    assert played.product.clean().hands == played.baseline.clean().hands == 1
    assert played.product.durations == {}  # only what starts at reads is timed


@pytest.mark.parametrize("reader", ["tablelink", "pepper_c1"])
def test_a_reader_that_loses_its_plug_comes_back_and_the_hand_goes_on(reader):
    chunk = Chunk(Case(reader, "clean"), 5, 0, 1, True)
    seen = []
    wire = Wire(chunk, lambda step, at_ms: seen.extend((at_ms, event.observation) for event in step.events))
    wire.start()
    [hand] = dealt_in(chunk, 1.0)
    wire.play(hand)
    [lost_ms] = [at_ms for at_ms, each in seen if isinstance(each, LinkLost)]
    [out_ms, back_ms] = [deed.at_ms for deed in hand.deeds if deed.what in ("unplug", "replug")]
    assert out_ms <= lost_ms <= out_ms + 100
    assert [at_ms for at_ms, each in seen if isinstance(each, LinkRestored) and at_ms >= back_ms]
    arrived = {each.tag for _, each in seen if isinstance(each, CardArrived)}
    assert arrived >= {card.tag for card in hand.cards}
    assert [each.key for _, each in seen if isinstance(each, KeyPressed)][-1] == "next hand"


def test_the_level_says_how_often_plugs_are_lost(monkeypatch):
    asked = []
    dealt = bench_bytes.dealt_in
    monkeypatch.setattr(bench_bytes, "dealt_in", lambda *given: asked.append(given) or dealt(*given))
    monkeypatch.setitem(NOISE_LEVELS, "clean", replace(NOISE_LEVELS["clean"], replug_per_hand=0.25))
    play_bytes(CLEAN)
    assert asked == [(CLEAN, 0.25)]
