"""The sample of the benchmark from the bytes up: simulated devices, real frames, the whole core, in virtual
time.

The devices hear what the polls of `sim/deal_polls.py` hear for the same seed. Here a reader may also lose its
plug, as often as its level of noise says.
"""

from collections.abc import Callable, Iterator
from random import Random

import msgspec

from shoe_bridge.cli.bench_run import FIRST_BUTTON, Chunk, Played, Table, dealt_in, known_of
from shoe_bridge.cli.bench_table import book, config_for, model_for, setup_for
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.core import TABLE, Core, Step
from shoe_bridge.runtime.ports import Tick
from shoe_bridge.sim.deal_evidence import ReadLog
from shoe_bridge.sim.deal_polls import Poll, Polls, quiet_air
from shoe_bridge.sim.deal_truth import Deed, TrueHand
from shoe_bridge.sim.noise import NOISE_LEVELS
from shoe_bridge.sim.player import LINE_MS, START_MONO_NS, Moment, Player
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.stage import Stage
from shoe_bridge.sim.tags import decks_of

_NS_PER_MS = 1_000_000


def play_bytes(chunk: Chunk) -> Played:
    """The hands of one table, from the devices' bytes on."""
    chances = NOISE_LEVELS[chunk.case.level].replug_per_hand
    polls = Polls(chunk.case.reader, quiet_air(chunk.case.level, chunk.name))
    table = Table(chunk)
    hand: TrueHand | None = None

    def tell(step: Step, at_ms: int) -> None:
        if hand is not None and at_ms > hand.judged_ms:
            table.judge()
        table.note(step, at_ms)

    wire = Wire(chunk, tell)
    wire.start()
    log = None
    for hand in dealt_in(chunk, chances):
        wire.play(hand)
        log = _log(polls, hand, log)
        table.close(hand, known_of(chunk.case, hand, log))
    return table.played


def _log(polls: Polls, hand: TrueHand, before: ReadLog | None) -> ReadLog:
    """What the antennas heard by the end of the deal. A Pepper keeps nothing of it while it is unplugged."""
    log = ReadLog(polls.antennas, before)
    lost = {deed.what: deed for deed in hand.deeds if deed.what in ("unplug", "replug")}
    for happening in polls.follow(hand):
        if isinstance(happening, Poll) and happening.at_ms <= hand.judged_ms:
            device, at_ms = happening.antenna.device, happening.at_ms
            is_lost = bool(lost) and device == lost["unplug"].name
            if not (is_lost and lost["unplug"].at_ms <= at_ms <= lost["replug"].at_ms):
                log.take(happening)
    return log


class Wire:
    """One table of simulated devices and the core that listens to them. `tell` is given each step with its
    time in ms of the simulation."""

    def __init__(self, chunk: Chunk, tell: Callable[[Step, int], None]) -> None:
        case = chunk.case
        config = config_for(case)
        devices = tuple(msgspec.convert(entry, DeviceConfig, str_keys=True) for entry in config["device"])
        setup = setup_for(case, FIRST_BUTTON, model_for(case))
        self.core = Core(setup, links_of(devices), book())
        self._tell = tell
        self.table = SimTable(config, quiet_air(case.level, chunk.name))
        self._player = Player(Stage(self.table, decks_of(()), Random(0)), self._sends)

    def start(self) -> None:
        """The devices introduce themselves."""
        self._follow(self._player.start())

    def play(self, hand: TrueHand) -> None:
        """Act one hand out, to the time at which the next one may begin."""
        for deed in hand.deeds:
            self._follow(self._player.idle(deed.at_ms, hand.number))
            self._act(deed)
        self._follow(self._player.idle(hand.ends_ms, hand.number))

    def _act(self, deed: Deed) -> None:
        match deed.what:
            case "key":
                self.table.press(deed.name)
            case "draw":
                self.table.draw(deed.name, "down")
            case "lay":
                self.table.world.place(deed.name, deed.place)
            case "gather":
                self.table.world.lift_all()
            case "unplug":
                self.table.device(deed.name).unplug()
            case "replug":
                self.table.device(deed.name).replug()

    def _sends(self, device: str) -> list[bytes]:
        link = self.core.links.get(device)
        return link.sends() if link is not None else []

    def _follow(self, moments: Iterator[Moment]) -> None:
        for moment in moments:
            at_ms = (moment.at_mono_ns - START_MONO_NS) // _NS_PER_MS - LINE_MS
            for given in moment.inputs:
                if given.device in self.core.links:
                    self._tell(self.core.take(given), at_ms)
            for name, link in self.core.links.items():
                deadline_ns = link.next_deadline_ns()
                if deadline_ns is not None and deadline_ns <= moment.at_mono_ns:
                    self._tell(self.core.take(Tick(name, moment.at_mono_ns)), at_ms)
            deadline_ns = self.core.next_deadline_ns()
            if deadline_ns is not None and deadline_ns <= moment.at_mono_ns:
                self._tell(self.core.take(Tick(TABLE, moment.at_mono_ns)), at_ms)
