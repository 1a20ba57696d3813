"""The bounded backlog between two threads: order, bound, and an end that holds nobody up."""

import threading
import time

from shoe_bridge.adapters.backlog import Backlog

WAIT_S = 5.0


def test_all_parts_come_in_order_and_the_bound_is_kept() -> None:
    backlog = Backlog(most_bytes=100)
    backlog.flow()
    parts = [bytes([number % 256]) * (number % 7 + 1) for number in range(2_000)]
    most = 0

    def put() -> None:
        for part in parts:
            backlog.put(part)
        backlog.end()

    thread = threading.Thread(target=put)
    thread.start()
    taken = []
    while part := backlog.take():
        most = max(most, backlog.size)
        taken.append(part)
    thread.join(WAIT_S)
    assert taken == parts
    assert 0 < most < 107


def test_whoever_puts_waits_for_room_and_no_longer_than_to_the_end() -> None:
    backlog = Backlog(most_bytes=4)
    backlog.flow()
    backlog.put(b"full")
    thread = threading.Thread(target=backlog.put, args=(b"late",))
    thread.start()
    thread.join(0.05)
    assert thread.is_alive()
    backlog.end()
    thread.join(WAIT_S)
    assert not thread.is_alive()
    assert [backlog.take(), backlog.take()] == [b"full", b""]


def test_before_anybody_takes_the_newest_is_kept() -> None:
    backlog = Backlog(most_bytes=4)
    for part in (b"ab", b"cd", b"ef", b"gh"):
        backlog.put(part)
    backlog.flow()
    assert [backlog.take(), backlog.take(), backlog.size] == [b"ef", b"gh", 0]
    backlog.put(b"xy")
    backlog.clear()
    backlog.end()
    assert backlog.take() == b""


def test_whoever_takes_waits_for_a_part() -> None:
    backlog = Backlog()
    taken: list[bytes] = []
    thread = threading.Thread(target=lambda: taken.append(backlog.take()))
    thread.start()
    time.sleep(0.02)
    assert taken == []
    backlog.put(b"x")
    thread.join(WAIT_S)
    assert taken == [b"x"]
