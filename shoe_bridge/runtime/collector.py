"""Python's cycle collector, as a table wants it.

Following a deal makes thousands of values in a millisecond, which hold no cycles: with the usual thresholds
the collector comes by every few hundred of them, in the middle of an event, and finds nothing.
"""

import gc

_YOUNG = 50_000  # values between two looks at the young ones; the usual number is 700
_OLDER, _OLD = 20, 100  # looks at those until the older ones are looked at, and then all


def spare_collections() -> None:
    """What is loaded by now is never looked through again, and what comes rarely: call it when a process is
    ready to follow a table."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _OLDER, _OLD)
