"""The append-only truth in SQLite: raw inputs, audit records, outbox, snapshots.

`Journal` writes, `JournalReader` reads and checks. One file (volume) per UTC day, and a further part when a
day outgrows its share of the cap. Callers only put rows into a queue; one thread commits them in groups.
Every group ends in a seal that covers its rows and the seal before it, across volumes, so that a changed,
lost or inserted row is found by `JournalReader.check`. `schema.py` says what a volume holds, `recover.py`
what a start does with what it finds, `prune.py` how old raw data goes without touching an audit record.
"""

from shoe_bridge.journal.journal import Journal
from shoe_bridge.journal.reader import JournalReader
from shoe_bridge.journal.rows import InputRow, OutboxRow, Position, RecordRow, Recovered

__all__ = ["InputRow", "Journal", "JournalReader", "OutboxRow", "Position", "RecordRow", "Recovered"]
