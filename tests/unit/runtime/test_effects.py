"""The reconciler in virtual time, against models of lights that obey, stall, forget and lie."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import LightReport
from shoe_bridge.lights.adafruit_tower import AdafruitTower
from shoe_bridge.lights.console import ConsoleLight
from shoe_bridge.lights.lcus_relay import LcusRelay
from shoe_bridge.lights.light import Light
from shoe_bridge.lights.tablelink_lamp import SetLight, TablelinkLamp
from shoe_bridge.runtime.effects import LightEffect
from shoe_bridge.table.light_state import LightState

MS = 1_000_000
ALL_WELL, ATTENTION = LightState.ALL_WELL, LightState.ATTENTION
MISDEAL, UNMONITORED = LightState.MISDEAL_ADVISED, LightState.NOT_MONITORED


class Board:
    """A relay board: `lit` relays, answers `answer_ms` after it was asked, and can refuse, be mute or stuck.

    While it does not read, what is written to it waits in `held`, as in the buffers of a kernel."""

    def __init__(self, answer_ms: int = 20) -> None:
        self.lit: set[int] = set()
        self.answer_ms = answer_ms
        self.takes = True
        self.is_mute = False
        self.is_stuck = False
        self.reads = True
        self.held: list[bytes] = []

    def write(self, command: bytes) -> bytes | None:
        """What it answers; None when it does not take the command."""
        if not self.takes:
            return None
        if not self.reads:
            self.held.append(command)
            return b""
        if command == b"\xff":
            lines = [b"CH%d: %s\r\n" % (n, b"ON" if n in self.lit else b"OFF") for n in range(1, 5)]
            return b"" if self.is_mute else b"".join(lines)
        start, channel, is_on, check = command
        assert (start, check) == (0xA0, (0xA0 + channel + is_on) & 0xFF)
        if not self.is_stuck:
            (self.lit.add if is_on else self.lit.discard)(channel)
        return b""


class Tower:
    """A tower light: the last command of each part."""

    def __init__(self) -> None:
        self.parts: dict[int, int] = {}
        self.held: list[bytes] = []
        self.takes = True
        self.answer_ms = 0

    def write(self, command: bytes) -> bytes | None:
        if not self.takes:
            return None
        (byte,) = command
        self.parts[byte & 0xF] = byte >> 4
        return b""

    @property
    def shown(self) -> dict[int, int]:
        return {part: how for part, how in self.parts.items() if how != 2}


class Bench:
    """Runs one effect against one model in virtual time from `at_ms` on; `writes` notes (when, bytes)."""

    def __init__(self, light: Light[bytes, bytes], model: Board | Tower) -> None:
        self.effect = LightEffect("dealer", light)
        self.model = model
        self.at_ns = 0
        self.writes: list[tuple[int, bytes]] = []
        self.tries = 0
        self._answers: list[tuple[int, bytes]] = []

    def open(self) -> None:
        self._answers.clear()
        self.effect.opened(self.at_ns)

    def desire(self, state: LightState) -> None:
        self.effect.desire(state)

    def advance(self, for_ms: int) -> None:
        until_ns = self.at_ns + for_ms * MS
        while (due_ns := self._next_ns()) <= until_ns:
            self.at_ns = max(self.at_ns, due_ns)
            self._turn()
        self.at_ns = until_ns

    def _next_ns(self) -> int:
        times = [at_ns for at_ns, _ in self._answers]
        deadline_ns = self.effect.next_deadline_ns()
        return min([*times, *([deadline_ns] if deadline_ns is not None else [])], default=1 << 62)

    def _turn(self) -> None:
        for answer in [one for one in self._answers if one[0] <= self.at_ns]:
            self._answers.remove(answer)
            self.effect.take(answer[1])
        while (command := self.effect.reconcile(self.at_ns)) is not None:
            self.tries += 1
            if self.effect.must_drop:
                self.model.held.clear()
            answer = self.model.write(command)
            if answer is None:
                self.effect.stalled(self.at_ns)
                continue
            self.writes.append((self.at_ns, command))
            self.effect.wrote(self.at_ns)
            if answer:
                self._answers.append((self.at_ns + self.model.answer_ms * MS, answer))


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def bench(board: Board) -> Bench:
    bench = Bench(LcusRelay(), board)
    bench.open()
    return bench


def hex_since(bench: Bench, count: int) -> list[str]:
    return [command.hex() for _, command in bench.writes[count:]]


def test_a_light_starts_as_not_monitored(bench: Bench, board: Board) -> None:
    board.lit = {1, 2}
    bench.advance(1000)
    assert board.lit == set()
    assert bench.effect.is_showing(UNMONITORED)
    assert bench.effect.trouble is None


def test_a_change_is_written_at_once_and_with_the_gap_between_writes(bench: Bench, board: Board) -> None:
    bench.advance(1000)
    count = len(bench.writes)
    bench.desire(MISDEAL)
    due_ns = bench.effect.next_deadline_ns()
    assert due_ns is not None
    assert due_ns <= bench.at_ns
    bench.advance(0)
    assert hex_since(bench, count) == ["a00301a4"]
    bench.advance(400)
    assert hex_since(bench, count) == ["a00301a4", "a00100a1", "a00200a2", "ff"]
    gaps = [later[0] - sooner[0] for sooner, later in pairwise(bench.writes)]
    assert min(gaps) >= 100 * MS
    assert board.lit == {3}
    assert bench.effect.is_showing(MISDEAL)


def test_shown_follows_the_confirmation_and_not_the_writing(bench: Bench, board: Board) -> None:
    bench.advance(1000)
    board.is_mute = True
    bench.desire(ALL_WELL)
    bench.advance(450)
    assert board.lit == {1}
    assert not bench.effect.is_showing(ALL_WELL)
    board.is_mute = False
    bench.advance(1500)
    assert bench.effect.is_showing(ALL_WELL)


def test_a_lost_confirmation_is_asked_for_again_without_alarm(bench: Bench, board: Board) -> None:
    board.is_mute = True
    bench.desire(ATTENTION)
    bench.advance(500)
    assert bench.effect.trouble is None
    board.is_mute = False
    bench.advance(1000)
    assert bench.effect.is_showing(ATTENTION)
    assert bench.effect.trouble is None


def test_a_light_that_never_confirms_is_trouble_and_bounded_work(bench: Bench, board: Board) -> None:
    board.is_mute = True
    bench.desire(ALL_WELL)
    bench.advance(60_000)
    assert bench.effect.trouble == "light dealer does not confirm all well; check its power and cable."
    assert bench.effect.shown is None
    # With growing patience at most about a renewal's worth of writes every two seconds.
    assert len(bench.writes) < 60 * 4
    board.is_mute = False
    bench.advance(6000)
    assert bench.effect.is_showing(ALL_WELL)
    assert bench.effect.trouble is None


def test_a_light_that_shows_something_else_is_named(bench: Bench, board: Board) -> None:
    bench.desire(ALL_WELL)
    bench.advance(1000)
    board.is_stuck = True
    bench.desire(MISDEAL)
    bench.advance(5000)
    assert bench.effect.shown is ALL_WELL
    assert not bench.effect.is_showing(MISDEAL)
    assert bench.effect.trouble == (
        "light dealer shows all well and not misdeal advised; switch it off and on, or exchange it."
    )
    board.is_stuck = False
    bench.advance(6000)
    assert bench.effect.is_showing(MISDEAL)
    assert bench.effect.trouble is None


def test_the_promise_is_renewed(bench: Bench) -> None:
    bench.desire(ALL_WELL)
    bench.advance(20_000)
    renewals = [at_ns for at_ns, command in bench.writes if command == bytes.fromhex("a00101a2")]
    assert len(renewals) == 11
    assert max(later - sooner for sooner, later in pairwise(renewals)) <= 2000 * MS


def test_a_board_that_lost_its_power_is_mended_by_the_next_renewal(bench: Bench, board: Board) -> None:
    bench.desire(ALL_WELL)
    bench.advance(1000)
    board.lit.clear()
    bench.advance(3000)
    assert board.lit == {1}
    assert bench.effect.is_showing(ALL_WELL)


def test_during_a_stall_nothing_piles_up_and_after_it_only_the_latest_is_sent(
    bench: Bench, board: Board
) -> None:
    bench.desire(ALL_WELL)
    bench.advance(1000)
    board.takes = False
    tries, count = bench.tries, len(bench.writes)
    for state in (ATTENTION, MISDEAL, ALL_WELL, ATTENTION) * 25:
        bench.desire(state)
        bench.advance(300)
    assert bench.tries - tries < 25  # 30 s at 2 s a try, after the first quick ones
    assert bench.effect.shown is None
    assert bench.effect.trouble == (
        "light dealer takes no more bytes; switch it off and on, or check its cable."
    )
    bench.desire(MISDEAL)
    board.takes = True
    bench.advance(3000)
    assert hex_since(bench, count)[:4] == ["a00301a4", "a00100a1", "a00200a2", "ff"]
    assert bench.effect.is_showing(MISDEAL)
    assert bench.effect.trouble is None


def test_what_waits_for_a_board_that_does_not_read_is_replaced_and_never_piles_up(
    bench: Bench, board: Board
) -> None:
    bench.desire(ALL_WELL)
    bench.advance(1000)
    board.reads = False
    longest = 0
    for state in (ATTENTION, ALL_WELL) * 10:
        bench.desire(state)
        bench.advance(7000)
        longest = max(longest, len(board.held))
    bench.desire(MISDEAL)
    bench.advance(600)
    assert longest <= 8  # a state and its question, at most twice
    assert [command.hex() for command in board.held] == ["a00301a4", "a00100a1", "a00200a2", "ff"]
    board.reads = True
    for command in board.held:
        board.write(command)
    assert board.lit == {3}
    bench.advance(5000)
    assert bench.effect.is_showing(MISDEAL)


def test_after_a_reconnect_the_state_is_written_again(bench: Bench, board: Board) -> None:
    bench.desire(MISDEAL)
    bench.advance(1000)
    bench.effect.closed("it was unplugged")
    assert bench.effect.next_deadline_ns() is None
    assert not bench.effect.is_showing(MISDEAL)
    assert bench.effect.trouble == "light dealer is not connected: it was unplugged."
    board.lit.clear()
    bench.desire(ATTENTION)
    count = len(bench.writes)
    bench.advance(10_000)
    assert len(bench.writes) == count
    bench.open()
    bench.advance(1000)
    assert hex_since(bench, count)[0] == "a00201a3"
    assert board.lit == {2}
    assert bench.effect.is_showing(ATTENTION)
    assert bench.effect.trouble is None


def test_a_flapping_desire_is_never_ahead_of_the_gap_and_ends_right(bench: Bench, board: Board) -> None:
    bench.advance(1000)
    count = len(bench.writes)
    for turn in range(200):
        bench.desire(MISDEAL if turn % 2 else ALL_WELL)
        bench.advance(7)
    assert len(bench.writes) - count <= 200 * 7 // 100 + 1
    bench.advance(600)
    assert board.lit == {3}
    assert bench.effect.is_showing(MISDEAL)


def test_an_answer_from_before_a_change_does_not_confirm_it(board: Board) -> None:
    board.answer_ms = 90
    bench = Bench(LcusRelay(), board)
    bench.open()
    bench.desire(ALL_WELL)
    bench.advance(300)  # the query is out
    bench.desire(MISDEAL)
    bench.desire(ALL_WELL)
    bench.advance(95)  # its answer comes while the state is being written again
    assert not bench.effect.is_settled
    bench.advance(1000)
    assert bench.effect.is_showing(ALL_WELL)


def test_a_tower_shows_what_was_written_last() -> None:
    tower = Tower()
    bench = Bench(AdafruitTower(), tower)
    bench.open()
    bench.desire(MISDEAL)
    bench.advance(0)
    assert tower.shown == {1: 4}
    assert not bench.effect.is_showing(MISDEAL)
    assert not bench.effect.is_settled
    bench.advance(300)
    assert bench.effect.is_showing(MISDEAL)
    assert bench.effect.is_settled
    assert [at_ns // MS for at_ns, _ in bench.writes] == [0, 100, 200, 300]
    bench.desire(ALL_WELL)
    bench.advance(500)
    assert tower.shown == {4: 1}
    tower.takes = False
    bench.desire(ATTENTION)
    bench.advance(1000)
    assert bench.effect.shown is None
    tower.takes = True
    bench.advance(3000)
    assert tower.shown == {2: 4}
    assert bench.effect.trouble is None


def test_the_console_prints_one_line_a_change() -> None:
    effect = LightEffect("dealer", ConsoleLight("dealer"))
    effect.opened(0)
    lines = []
    for at_ms, state in enumerate((ALL_WELL, ALL_WELL, MISDEAL, MISDEAL, ALL_WELL)):
        effect.desire(state)
        while (line := effect.reconcile(at_ms * MS)) is not None:
            lines.append(line.decode().split("] ")[1].strip())
            effect.wrote(at_ms * MS)
    assert lines == ["ALL WELL", "MISDEAL ADVISED", "ALL WELL"]
    assert effect.next_deadline_ns() is None  # a line stands: nothing is renewed


def written(effect: LightEffect[SetLight, LightReport], at_ms: int) -> Iterator[SetLight]:
    while (command := effect.reconcile(at_ms * MS)) is not None:
        effect.wrote(at_ms * MS)
        yield command


def report_of(command: SetLight, expired: bool = False) -> LightReport:
    return LightReport(command.lamp, command.pattern, command.red, command.green, command.blue, expired)


def test_a_lamp_on_a_link_is_treated_alike() -> None:
    effect = LightEffect("dealer", TablelinkLamp(1))
    effect.opened(0)
    effect.desire(ALL_WELL)
    (command,) = written(effect, 0)
    assert command.pattern == "steady"
    assert effect.shown is None
    effect.take(report_of(command))
    assert effect.is_showing(ALL_WELL)
    assert effect.next_deadline_ns() == 500 * MS
    assert list(written(effect, 499)) == []
    assert list(written(effect, 500)) == [command]


def test_a_lamp_that_fell_back_by_itself_is_told_again_at_once() -> None:
    effect = LightEffect("dealer", TablelinkLamp(1))
    effect.opened(0)
    effect.desire(ALL_WELL)
    (command,) = written(effect, 0)
    effect.take(report_of(command))
    effect.take(LightReport(1, "flash", 0, 0, 255, expired=True))
    assert effect.shown is UNMONITORED
    assert list(written(effect, 1)) == [command]
    effect.take(report_of(command))
    assert effect.is_showing(ALL_WELL)


def test_a_silent_lamp_is_trouble_though_it_is_renewed_more_often_than_it_reports() -> None:
    effect = LightEffect("dealer", TablelinkLamp(1))
    effect.opened(0)
    effect.desire(ALL_WELL)
    (command,) = written(effect, 0)
    effect.take(report_of(command))
    sent = sum(len(list(written(effect, at_ms))) for at_ms in range(1, 6000))
    assert effect.trouble == "light dealer does not confirm all well; check its power and cable."
    assert not effect.is_showing(ALL_WELL)
    assert 11 <= sent <= 14  # the renewals, and a few repeats


def test_what_a_closed_light_says_counts_for_nothing() -> None:
    effect = LightEffect("dealer", TablelinkLamp(1))
    effect.take(LightReport(1, "steady", 0, 255, 0))
    assert effect.shown is None
    assert effect.reconcile(0) is None
    assert effect.is_settled


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["wait", "stall", "lose", "mute", "forget", *LightState]),
        st.integers(min_value=0, max_value=3000),
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(steps=STEPS, last=st.sampled_from(list(LightState)))
def test_whatever_happened_the_light_ends_up_showing_the_latest_state(
    steps: list[tuple[str, int]], last: LightState
) -> None:
    board = Board()
    bench = Bench(LcusRelay(), board)
    bench.open()
    for what, for_ms in steps:
        board.takes = what != "stall"
        board.is_mute = what == "mute"
        if what == "lose":
            bench.effect.closed("it was unplugged")
        elif not bench.effect.is_open:
            bench.open()
        if what == "forget":
            board.lit.clear()
        if isinstance(what, LightState):
            bench.desire(what)
        bench.advance(for_ms)
    board.takes, board.is_mute = True, False
    if not bench.effect.is_open:
        bench.open()
    bench.desire(last)
    bench.advance(7000)
    assert board.lit == {ALL_WELL: {1}, ATTENTION: {2}, MISDEAL: {3}, UNMONITORED: set()}[last]
    assert bench.effect.is_showing(last)
    assert bench.effect.trouble is None
    gaps = [later[0] - sooner[0] for sooner, later in pairwise(bench.writes)]
    opened_again = sum(what == "lose" for what, _ in steps)
    assert sum(gap < 100 * MS for gap in gaps) <= opened_again
