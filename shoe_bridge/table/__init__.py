"""The table as a pure fold: events in, findings out; no clock, no I/O, no randomness."""
