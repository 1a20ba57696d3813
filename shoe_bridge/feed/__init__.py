"""The contract with the far side: event envelopes, outbox, sinks.

At least once, in order, never before what caused it is on disk. `events.py` is the contract, `outbox.py`
keeps what is owed until it is acknowledged, `jsonl.py` is the embedded sink.
"""
