"""The scribe: each step becomes records and feed events of one transaction, and names no card."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import msgspec
import pytest

from shoe_bridge.rules.book import open_book
from shoe_bridge.runtime.core import Step
from shoe_bridge.runtime.opening import Opening
from shoe_bridge.runtime.recorder import Recorder
from shoe_bridge.sim.tags import STANDARD_52, tag_uid
from shoe_bridge.table.findings import Change, DeckDefect

ERROR = ("shuffle", "cut", "deal 1 -> seat 1", "deal 2 -> seat 2")
NS = 10**9


class Paper:
    """A journal and a feeder that keep what they are given, and in which transaction."""

    def __init__(self) -> None:
        self.records: list[tuple[str, bytes]] = []
        self.events: list[dict] = []
        self.lines: list[bytes] = []
        self.fed: list[tuple[int, bytes]] = []
        self.depth = 0
        self.outside = 0
        self.recovered = SimpleNamespace(was_clean=True)

    @property
    @contextmanager
    def together(self):
        self.depth += 1
        yield
        self.depth -= 1

    @property
    def next_outbox_seq(self) -> int:
        return len(self.events) + 1

    def append_record(self, kind: str, at_mono_ns: int, body: bytes) -> int:
        self.outside += self.depth == 0
        self.records.append((kind, body))
        return len(self.records)

    def append_outbox(self, event_id: str, body: bytes) -> int:
        self.outside += self.depth == 0
        self.events.append(json.loads(body))
        self.lines.append(body)
        assert self.events[-1]["id"] == event_id
        return len(self.events)

    def append(self, seq: int, body: bytes) -> None:
        self.fed.append((seq, body))

    @property
    def types(self) -> list[str]:
        return [event["type"].removeprefix("shoe-bridge.") for event in self.events]


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def recorder(paper, clock) -> Recorder:
    return Recorder("t-1", open_book("nz-1999"), paper, clock, paper)


def write(recorder: Recorder, core, steps) -> None:
    for step in steps:
        recorder.record(step, NS, core.light, core.state)


def test_a_step_is_events_then_changes_then_alerts(recorder, paper, played):
    table = played(*ERROR[:2])
    [step] = [each for each in table.play("deal 1 -> seat 1") if each.changes]
    recorder.record(step, NS, table.core.light, table.core.state)
    assert [kind for kind, _ in paper.records] == ["event", "change", "alert", "light"]
    assert [body for _, body in paper.records[:3]] == [
        msgspec.json.encode(each) for each in (*step.events, *step.changes, *step.alerts)
    ]
    assert paper.types == ["hand.started", "finding.raised", "alert.raised", "light.changed"]
    assert paper.fed == list(enumerate(paper.lines, start=1))
    assert paper.outside == 0


def test_event_ids_are_all_different_and_the_same_again(recorder, paper, played, clock):
    table = played(*ERROR, "exposed", "supervisor misdeal")
    write(recorder, table.core, table.steps)
    ids = [event["id"] for event in paper.events]
    assert len(set(ids)) == len(ids) > 8
    again = Paper()
    write(Recorder("t-1", open_book("nz-1999"), again, clock, again), table.core, table.steps)
    assert again.lines == paper.lines


def test_the_feed_says_who_was_lost_and_came_back(recorder, paper, played):
    table = played()
    write(recorder, table.core, table.steps)
    assert paper.types == ["device.restored", "light.changed", "device.restored"]
    assert {event["data"]["device"] for event in paper.events if "device" in event["data"]} == {
        "reader-1",
        "keys-1",
    }


def test_a_hand_starts_with_its_first_card_and_closes_with_the_next(recorder, paper, played):
    table = played()
    for action in (("shuffle", "cut"), ("deal 1 -> seat 5",), ("next hand",)):
        for step in table.play(*action):
            recorder.record(step, NS, table.core.light, table.core.state)
    hands = [event for event in paper.events if ".hand." in event["type"]]
    assert [(event["type"], event["hand"]) for event in hands] == [
        ("shoe-bridge.hand.started", 1),
        ("shoe-bridge.hand.closed", 1),
    ]
    assert hands[0]["data"] == {"seats": [1, 2, 3, 5], "integrity": "verified", "reasons": []}


def test_the_light_is_recorded_when_it_changes_and_only_then(recorder, paper, played):
    table = played(*ERROR)
    write(recorder, table.core, table.steps)
    assert [json.loads(body) for kind, body in paper.records if kind == "light"] == [{"state": "attention"}]


def test_neither_feed_nor_screen_names_a_card(recorder, paper, played):
    table = played(*ERROR)
    write(recorder, table.core, table.steps)
    defect = Change(True, 99, DeckDefect("duplicate", "As"), 9, (9,), 1, "nz-1999", "1")
    bad_deck = Step(changes=(defect,))
    recorder.record(bad_deck, NS, table.core.light, table.core.state)
    screen = [line for step in [*table.steps, bad_deck] for line in recorder.lines(step)]
    for text in (b"\n".join(paper.lines).decode(), json.dumps(screen)):
        assert not [card for card in STANDARD_52 if tag_uid("blue", card) in text]
        assert '"As"' not in text
        assert "As is in it twice" not in text
    assert b'"As"' in paper.records[-1][1]  # the journal keeps it


def test_lines_say_it_in_words_with_the_rule(recorder, played):
    table = played(*ERROR)
    lines = [line for step in table.steps for line in recorder.lines(step)]
    [finding] = [line for line in lines if line["type"] == "finding"]
    assert finding["sentence"] == "Card 1 went to seat 1, it was due at seat 5 (19.1(c))."
    assert finding["says"].startswith("cards dealt out of order")
    assert (finding["profile"], finding["version"], finding["certainty"]) == ("nz-1999", "1", "certain")
    assert finding["probability"] is None
    [alert] = [line for line in lines if line["type"] == "alert"]
    assert (alert["what"], alert["severity"], alert["findings"]) == ("raised", "attention", [1])


@pytest.mark.parametrize("was_clean", [True, False])
def test_a_start_is_recorded_with_all_that_a_replay_needs(recorder, paper, played, was_clean):
    core = played().core
    paper.recovered = SimpleNamespace(was_clean=was_clean)
    links = tuple(link.config for link in core.links.values())
    opened = Opening(core.setup, links, "nz-1999", core.state, core.store(), True)
    recorder.opened(opened, NS)
    recorder.table_opened(opened, NS, 4)
    [(kind, body)] = paper.records
    assert kind == "bridge.opened"
    assert msgspec.json.decode(body, type=Opening) == opened
    assert paper.types == ["table.opened"]
    assert paper.events[0]["data"]["after_unclean_stop"] is not was_clean
    assert paper.events[0]["hand"] == 4
    assert paper.outside == 1  # the record stands before the ports open, alone


def test_the_envelope_says_when_by_which_clock_and_by_which_rules(recorder, paper, played, clock):
    table = played(*ERROR)
    write(recorder, table.core, table.steps)
    event = paper.events[-1]
    assert (event["source"], event["profile"], event["bootid"]) == ("t-1", "nz-1999/1", "boot-a")
    assert (event["monons"], event["walltrusted"]) == (str(NS), True)
    assert event["time"] == "2026-07-01T12:00:01.000000Z"
    assert [one["seq"] for one in paper.events] == list(range(1, len(paper.events) + 1))
