"""Python's cycle collector while a table is followed: seldom, but not never."""

import subprocess
import sys

PROGRAM = """
import gc, weakref
from shoe_bridge.runtime.collector import spare_collections

class Knot:
    def __init__(self):
        self.itself = self

alive = weakref.WeakSet()

def tie(count):
    for _ in range(count):
        alive.add(Knot())

gc.collect()
spare_collections()
tie(2_000)
print(gc.get_freeze_count() > 1_000, len(alive))
tie(200_000)
print(len(alive) < 100_000)
"""


def test_a_few_thousand_values_are_not_looked_through_and_cycles_go_in_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "2000", "True"]
