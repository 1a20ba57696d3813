"""Journal, outbox and file sink together: a crash between sending and acknowledging repeats the same line."""

import json
from pathlib import Path

from shoe_bridge.feed.events import LightChanged, LightShown, Origin, encode_event, make_event
from shoe_bridge.feed.jsonl import JsonLinesSink
from shoe_bridge.feed.outbox import Outbox
from shoe_bridge.journal import Journal, JournalReader
from shoe_bridge.table.light_state import LightState

NOON_NS = 1_782_907_200 * 10**9


class Bridge:
    """As much of a bridge as owes events: the journal, the outbox and the sink."""

    def __init__(self, folder: Path, boot_id: str) -> None:
        self.boot_id = boot_id
        self.journal = Journal.open(
            folder / "state", table="holdem-07", boot_id=boot_id, now_wall_ns=lambda: NOON_NS, group_ms=1
        )
        self.sink = JsonLinesSink(folder / "feed.jsonl")
        self.sink.open()
        found = self.journal.recovered
        self.outbox = Outbox(
            self.sink,
            self.journal,
            acknowledged_seq=found.acknowledged_seq,
            durable_seq=found.position.outbox_seq,
            in_memory=4,
        )

    def owe(self, state: LightState) -> None:
        with self.journal.together:
            record_n = self.journal.append_record("light", 1, json.dumps({"state": state}).encode())
            origin = Origin("holdem-07", "nz-1999", self.boot_id, record_n, 1, NOON_NS, False)
            event = make_event(
                LightChanged, LightShown("dealer", state, False), origin, self.journal.next_outbox_seq
            )
            body = encode_event(event)
            self.outbox.append(self.journal.append_outbox(event.id, body), body)

    def commit(self) -> None:
        assert self.journal.sync(10)
        self.outbox.durable(self.journal.durable().outbox_seq)

    def deliver_all(self) -> None:
        while self.outbox.deliver(0):
            pass

    def close(self) -> None:
        self.sink.close()
        self.journal.close()


def test_at_least_once_with_the_same_id_and_bytes(tmp_path: Path) -> None:
    bridge = Bridge(tmp_path, "boot-a")
    for state in (LightState.ALL_WELL, LightState.ATTENTION, LightState.MISDEAL_ADVISED):
        bridge.owe(state)
    bridge.commit()
    bridge.sink.send(bridge.outbox.due(0))
    bridge.close()  # the far side has them, and nobody here heard of it

    second = Bridge(tmp_path, "boot-b")
    second.owe(LightState.ALL_WELL)
    second.commit()
    second.deliver_all()
    second.close()

    lines = (tmp_path / "feed.jsonl").read_bytes().splitlines()
    assert lines[:3] == lines[3:6]
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3, 1, 2, 3, 4]
    assert len({json.loads(line)["id"] for line in lines}) == 4
    assert JournalReader(tmp_path / "state").outbox() == []
    third = Bridge(tmp_path, "boot-c")
    third.deliver_all()
    third.close()
    assert (tmp_path / "feed.jsonl").read_bytes().splitlines() == lines


def test_a_backlog_longer_than_memory_comes_out_of_the_journal(tmp_path: Path) -> None:
    bridge = Bridge(tmp_path, "boot-a")
    for _ in range(30):
        bridge.owe(LightState.ATTENTION)
    assert bridge.outbox.deliver(0) == 0, "nothing leaves before its commit"
    bridge.commit()
    bridge.deliver_all()
    bridge.close()
    lines = (tmp_path / "feed.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 31))
