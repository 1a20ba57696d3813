"""Device clock to bridge clock: wrap, drift in both directions, delay, implausible stamps."""

from shoe_bridge.link.clock_map import ClockMap

MS = 1_000_000
WRAP = 2**32


def _at(clock: ClockMap, device_ms: int, host_ms: float, is_replay: bool = False) -> int | None:
    at_ms = clock.take(device_ms % WRAP, int(host_ms * MS), is_replay)
    return None if at_ms is None else clock.to_mono_ns(at_ms)


def _started(device_ms: int = 1_000, host_ms: int = 50_000) -> ClockMap:
    clock = ClockMap()
    clock.start(device_ms, host_ms * MS)
    return clock


def test_a_delayed_frame_is_placed_when_it_was_stamped() -> None:
    clock = _started()
    assert _at(clock, 1_100, 50_100) == 50_100 * MS
    # 700 ms late: the offset of the fastest frame stands
    assert _at(clock, 1_200, 50_900) == 50_200 * MS


def test_a_faster_frame_corrects_the_offset_and_is_not_after_its_arrival() -> None:
    clock = _started()
    assert _at(clock, 2_000, 50_990) == 50_990 * MS
    assert _at(clock, 3_000, 51_995) == 51_990 * MS


def test_mapped_times_never_run_backwards() -> None:
    clock = _started()
    assert _at(clock, 2_000, 51_000) == 51_000 * MS
    # the offset shrinks by 10 ms: this frame would lie before the one above
    assert _at(clock, 2_005, 50_995) == 51_000 * MS


def test_the_clock_wraps_after_49_days() -> None:
    clock = _started(device_ms=WRAP - 50)
    assert _at(clock, WRAP - 10, 50_040) == 50_040 * MS
    assert _at(clock, WRAP + 30, 50_080) == 50_080 * MS
    # a report that was stamped just before the wrap and sent just after it
    assert clock.take(WRAP - 5, 50_090 * MS, False) == WRAP - 5


def test_a_clock_that_jumps_back_by_more_than_a_second_is_implausible() -> None:
    clock = _started(device_ms=10_000)
    assert clock.take(9_000, 50_010 * MS, False) == 9_000
    assert clock.take(8_999, 50_010 * MS, False) is None
    assert clock.take(8_999, 50_010 * MS, True) == 8_999


def test_a_clock_that_jumps_ahead_of_all_frames_so_far_is_implausible() -> None:
    clock = _started()
    assert clock.take(2_000, 50_000 * MS, False) == 2_000
    assert clock.take(90_000, 50_020 * MS, False) is None
    # and moves nothing
    assert _at(clock, 2_030, 50_030) == 50_030 * MS


def test_eight_stamps_running_that_contradict_the_first_are_believed() -> None:
    # the hello was stamped at 1 s and read 20 s later, because the host had stalled
    clock = _started(device_ms=1_000, host_ms=70_000)
    taken = [clock.take(21_000 + i, (70_001 + i) * MS, False) for i in range(9)]
    assert taken == [None] * 7 + [21_007, 21_008]
    assert clock.to_mono_ns(21_008) == 70_009 * MS


def test_strays_among_good_stamps_are_never_believed() -> None:
    clock = _started()
    for i in range(40):
        assert clock.take(900_000, (50_000 + i) * MS, False) is None
        assert clock.take(1_000 + i, (50_000 + i) * MS, False) == 1_000 + i


def test_a_long_stall_of_the_host_is_plausible() -> None:
    clock = _started()
    arrived_ms = 70_000
    assert [_at(clock, 1_000 + i * 1_000, arrived_ms) for i in range(1, 20)] == [
        (50_000 + i * 1_000) * MS for i in range(1, 20)
    ]


def test_a_round_trip_lifts_an_offset_that_a_slow_device_clock_left_behind() -> None:
    clock = _started(device_ms=0, host_ms=0)
    # the device's clock loses 1 ms in each second
    assert _at(clock, 99_900, 100_000) == 99_900 * MS
    token = clock.ask(100_000 * MS)
    clock.answered(token, 99_901)
    assert _at(clock, 99_910, 100_012) == 100_009 * MS


def test_a_round_trip_with_another_token_or_a_second_answer_moves_nothing() -> None:
    clock = _started(device_ms=0, host_ms=0)
    token = clock.ask(1_000 * MS)
    clock.answered(token + 1, 0)
    assert clock.offset_ns == 0
    clock.answered(token, 900)
    assert clock.offset_ns == 100 * MS
    clock.answered(token, 0)
    assert clock.offset_ns == 100 * MS


def test_a_drift_of_either_sign_stays_within_the_delay_of_the_line() -> None:
    for drift in (-0.0005, 0.0005):
        clock = _started(device_ms=0, host_ms=0)
        worst_ms = 0.0
        for host_ms in range(100, 600_000, 100):
            device_ms = int(host_ms * (1 + drift))
            if host_ms % 10_000 == 0:
                clock.answered(clock.ask(host_ms * MS), device_ms)
            mapped_ns = _at(clock, device_ms, host_ms + 3)
            assert mapped_ns is not None
            assert mapped_ns <= (host_ms + 3) * MS
            worst_ms = max(worst_ms, abs(mapped_ns / MS - host_ms))
        # ten seconds between two samples at 500 ppm are 5 ms, the line adds 3
        assert worst_ms <= 9


def test_another_hello_forgets_the_clock_of_the_last_boot() -> None:
    clock = _started(device_ms=3_000_000)
    clock.start(20, 60_000 * MS)
    assert _at(clock, 120, 60_100) == 60_100 * MS
