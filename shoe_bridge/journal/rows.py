"""What the journal holds, row by row. Numbers count from 1 and never start again, in any volume."""

import msgspec

# Records that the journal writes about itself; all others are the caller's.
OPENED = "journal.opened"
CLEAN_STOP = "journal.clean_stop"
UNCLEAN_STOP = "journal.unclean_stop"
INPUTS_DROPPED = "journal.inputs_dropped"
RAW_PRUNED = "journal.raw_pruned"
PRUNE_FAILED = "journal.prune_failed"
VOLUME_SET_ASIDE = "journal.volume_set_aside"
VOLUME_MISSING = "journal.volume_missing"
VOLUME_GONE = "journal.volume_gone"  # it was removed or replaced while it was written

QueuedInput = tuple[int, str, str, int, int, bytes]  # n, kind, device, at_mono_ns, at_wall_ns, bytes
QueuedRecord = tuple[int, str, int, int, int, bytes]  # n, kind, at_mono_ns, at_wall_ns, input_n, body
QueuedEvent = tuple[int, str, int, bytes]  # seq, event id, record_n, body


class LostInputs(msgspec.Struct, frozen=True):
    """The body of INPUTS_DROPPED (no volume) and RAW_PRUNED: which raw inputs went (0 and 0: none)."""

    first: int
    last: int
    volume: str = ""


class Position(msgspec.Struct, frozen=True):
    """How far something has come: the newest input, record and outbox number (0: none yet)."""

    input_n: int = 0
    record_n: int = 0
    outbox_seq: int = 0


class InputRow(msgspec.Struct, frozen=True):
    """One raw input. `at_wall_ns` is when it was appended, a label; `boot_id` says whose monotonic clock."""

    n: int
    kind: str
    device: str
    at_mono_ns: int
    at_wall_ns: int
    boot_id: str
    data: bytes


class RecordRow(msgspec.Struct, frozen=True):
    """One audit record; `body` is JSON, `input_n` the newest input when it was appended."""

    n: int
    kind: str
    at_mono_ns: int
    at_wall_ns: int
    boot_id: str
    input_n: int
    body: bytes


class OutboxRow(msgspec.Struct, frozen=True):
    """One event owed to the far side; `record_n` is the newest record when it was appended."""

    seq: int
    event_id: str
    record_n: int
    body: bytes


class Seal(msgspec.Struct, frozen=True):
    """The end of one group: up to where it goes, what it hashes to, and the whole chain's hash so far.

    `raw_hash` covers what may be pruned (inputs and snapshot), `audit_hash` what never is (records and
    outbox). `acked_seq` is the outbox number up to which the far side had acknowledged.
    """

    n: int
    boot_id: str
    at_wall_ns: int
    input_n: int
    record_n: int
    outbox_seq: int
    acked_seq: int
    raw_hash: bytes
    audit_hash: bytes
    chain_hash: bytes


class VolumeHead(msgspec.Struct, frozen=True):
    """The one row that opens a volume: whose it is, and where the volume before it ended.

    `input_n`, `record_n`, `outbox_seq`, `seal_n` and `acked_seq` are the last ones before this volume.
    `prev_volume` is empty in the first volume; `set_aside` names a damaged volume that stood between.
    """

    table_id: str
    name: str
    at_wall_ns: int
    prev_volume: str
    prev_hash: bytes
    set_aside: str
    seal_n: int
    input_n: int
    record_n: int
    outbox_seq: int
    acked_seq: int


class Recovered(msgspec.Struct, frozen=True):
    """What `Journal.open` found: where it goes on from, and how the last run ended.

    `is_new`: there was no journal. `was_clean`: the last run ended by `close` (True for a new journal).
    `boot_id`: of the last run. `snapshot`: (record number, body) of the newest one. `set_aside`: the damaged
    volume that was gone on without, `missing`: the volume before the newest if it is not there; each empty if
    there is none.
    """

    position: Position
    acknowledged_seq: int
    is_new: bool
    was_clean: bool
    boot_id: str | None
    snapshot: tuple[int, bytes] | None
    set_aside: str
    missing: str
