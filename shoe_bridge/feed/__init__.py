"""The contract with the far side: event envelopes, outbox, sinks."""
