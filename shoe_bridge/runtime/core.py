"""The deterministic heart of the bridge: inputs in, steps out; no clock, no I/O, nothing that awaits.

The live bridge and the replay run this same object. An input is a chunk of bytes, a link that opened or
closed, or a deadline that came due; a step is what it led to.
"""

from collections.abc import Sequence

import msgspec

from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence
from shoe_bridge.runtime.ports import Chunk, Input, LinkClosed, LinkOpened, Tick
from shoe_bridge.table.alerts import AlertChange, is_waiting
from shoe_bridge.table.book import RuleBook
from shoe_bridge.table.findings import Change
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.observations import AlertOverdue, AnyObservation, Event, LinkLost, TimePassed
from shoe_bridge.table.state import Setup, TableState

TABLE = ""  # the device name of what no device says: time has passed for the table as a whole
_NS_PER_S = 1_000_000_000
RESTARTED = "the bridge was restarted"


class Step(msgspec.Struct, frozen=True):
    """What one input led to, in order. Empty for the nine frames of ten that change nothing."""

    events: tuple[Event, ...] = ()
    changes: tuple[Change, ...] = ()
    alerts: tuple[AlertChange, ...] = ()


NOTHING = Step()


class Core:
    """The table as the bridge knows it. `state` is the fold's, `links` are by device name."""

    def __init__(
        self, setup: Setup, links: tuple[LinkConfig, ...], book: RuleBook, state: TableState | None = None
    ) -> None:
        self.setup = setup
        self.fold = Fold(setup, book)
        self.state = state if state is not None else self.fold.start()
        self.link_configs = links
        self.presence = Presence(1 if setup.model is None else setup.model.reads_told)
        card_of = setup.register.card_of
        self.links = {
            config.name: DeviceLink(config, self.presence, lambda tag: card_of(tag) is not None)
            for config in links
        }

    def store(self) -> dict[str, bytes]:
        """What the links and the presence carry from input to input, by device name and `""` for presence."""
        links = {name: link.snapshot() for name, link in self.links.items()}
        return {"": self.presence.snapshot(), **links}

    def restore(self, stored: dict[str, bytes]) -> None:
        """Go on from what `store` gave; a device that it does not name begins anew."""
        if not stored:
            return
        self.presence.restore(stored[""])
        for name, link in self.links.items():
            if name in stored:
                link.restore(stored[name])

    @property
    def light(self) -> LightState:
        return self.state.light

    def resume(self, at_mono_ns: int) -> Step:
        """The first step after a restart: every device is lost until it has proven itself again."""
        observations = [
            LinkLost(name, link.places, RESTARTED, at_mono_ns) for name, link in self.links.items()
        ]
        return self._fold(observations)

    def take(self, given: Input) -> Step:
        """Take one input. Raises KeyError for a device that is not of this table."""
        if given.device == TABLE:
            return self._fold([*self._overdue(given.at_mono_ns), *self._passed(given.at_mono_ns)])
        link = self.links[given.device]
        match given:
            case Chunk(data=data, at_mono_ns=at):
                observations = link.take(data, at)
            case Tick(at_mono_ns=at):
                observations = link.tick(at)
            case LinkOpened(at_mono_ns=at, generation=generation):
                observations = link.opened(at, generation)
            case LinkClosed(at_mono_ns=at, why=why):
                observations = link.closed(at, why)
        return self._fold(observations) if observations else NOTHING

    def next_deadline_ns(self) -> int | None:
        """When an alert goes to the floor if nobody deals with it, or when silence tells something of the
        deal: a `Tick` of `TABLE` is due then."""
        waiting = [alert.raised_at_ns for alert in self.state.alerts.open if is_waiting(alert)]
        overdue_ns = min(waiting) + self.setup.escalate_after_s * _NS_PER_S if waiting else None
        look_ns = self.state.look_ns
        if overdue_ns is None or look_ns is None:
            return look_ns if overdue_ns is None else overdue_ns
        return min(overdue_ns, look_ns)

    def _overdue(self, at_mono_ns: int) -> list[AlertOverdue]:
        patience_ns = self.setup.escalate_after_s * _NS_PER_S
        return [
            AlertOverdue(alert.number, at_mono_ns)
            for alert in self.state.alerts.open
            if is_waiting(alert) and alert.raised_at_ns + patience_ns <= at_mono_ns
        ]

    def _passed(self, at_mono_ns: int) -> list[TimePassed]:
        look_ns = self.state.look_ns
        return [] if look_ns is None or at_mono_ns < look_ns else [TimePassed(at_mono_ns)]

    def _fold(self, observations: Sequence[AnyObservation]) -> Step:
        events, changes, alerts = [], list[Change](), list[AlertChange]()
        for observation in observations:
            event = Event(self.state.last_seq + 1, observation)
            self.state, outcome = self.fold.apply(self.state, event)
            events.append(event)
            changes += outcome.changes
            alerts += outcome.alerts
        return Step(tuple(events), tuple(changes), tuple(alerts))
