"""The append-only truth in SQLite: raw inputs, audit records, outbox, snapshots."""
