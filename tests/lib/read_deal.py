"""A table whose antennas are polled in turn, folded with a model of the deal: cards are laid at given times,
antennas fall silent, neighbours hear what they should not. No random numbers: a poll hears what lies there.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.games import open_game
from shoe_bridge.table.alerts import AlertChange
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deal_model import SENSOR_LEVELS, DealerModel, DealModel, Level
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import AnyFinding, Change
from shoe_bridge.table.fold import Fold
from shoe_bridge.table.following import Following
from shoe_bridge.table.layout import SEATS
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardReadAgain,
    Event,
    KeyPressed,
    LinkRestored,
    TimePassed,
)
from shoe_bridge.table.state import Setup, Standing, TableState

NS_PER_MS = 1_000_000
CYCLE_MS = 400
ANTENNAS = (*SEATS, "board", "burn", "muck", "stub")
START_MS = 10_000  # the reader was watched for so long before the hand
PHASE_STEP_MS = 30  # from one antenna's poll to the next one's
GONE_AFTER = 2  # missed polls in a row
READS_TOLD = 3
KEYS = ("shuffle", "cut", "end deal", "end bet", "push", "next hand", "acknowledge")
TAGS = tuple(f"E0040150A0{number:06X}" for number in range(52))
CARDS = tuple(STANDARD_52[7 * number % 52] for number in range(52))  # dealt in turn, they are in no sequence
REGISTER = Register((Deck("blue", dict(zip(TAGS, CARDS, strict=True))),))
BOOK = open_book("nz-1999")


def ring_model(level: Level = "typical", *, learns_pace: bool = False, flat: bool = False) -> DealModel:
    """Antennas in a row, each the neighbour of the next; the pace is 250 to 600 ms unless it is learned.
    `flat`: without neighbours that hear one another's cards."""
    near = {} if flat else {place: _beside(index) for index, place in enumerate(ANTENNAS)}
    return DealModel(DealerModel(), SENSOR_LEVELS[level], neighbours=near, learns_pace=learns_pace)


def _beside(index: int) -> tuple[str, ...]:
    return tuple(ANTENNAS[other] for other in (index - 1, index + 1) if 0 <= other < len(ANTENNAS))


class _Read(NamedTuple):
    """What was heard of one tag at one place: how often, when last, and missed polls since then."""

    count: int
    last_ms: int
    missed: int = 0


class ReadTable:
    """Times are ms since the reader was first watched. `lay` deals cards, `run_to` lets time pass with all
    polls in it, and tells the fold that time has passed when it asks for that, `late_ms` too late."""

    def __init__(
        self,
        seats: tuple[int, ...] = (1, 2, 3, 4),
        model: DealModel | None = None,
        *,
        button: int | None = None,
        late_ms: int = 0,
        game: str = "holdem",
    ) -> None:
        button = max(seats) if button is None else button
        self.setup = Setup(
            "t",
            open_game(game),
            seats,
            button,
            REGISTER,
            ("reader-1",),
            KEYS,
            model=model or ring_model(),
        )
        self.fold = Fold(self.setup, BOOK)
        self.state: TableState = self.fold.start()
        self.changes: list[Change] = []
        self.alerts: list[AlertChange] = []
        self.events: list[Event] = []
        self.now_ms = START_MS
        self.late_ms = late_ms
        self._laid: dict[str, tuple[str, int]] = {}  # tag: place, and since when
        self._reads: dict[tuple[str, str], _Read] = {}
        self._silences: list[tuple[str, int, int]] = []
        self._crossed: list[tuple[int, str, str]] = []
        self._hidden: set[str] = set()
        self._dealt = 0
        proven = Following(0, proven=ANTENNAS)  # the table was played at before
        self.state = replace(self.state, following=proven)
        self.take(LinkRestored("reader-1", ANTENNAS, 0, 0))
        self.press("shuffle", "cut")

    @property
    def following(self) -> Following:
        return self.state.following

    # -- what happens

    def lay(self, *places: str, pace_ms: int = 400, after_ms: int | None = None) -> list[str]:
        """Deal the next cards, the first one `after_ms` from now (else one pace); gives their tags. Time
        passes until the last one lies there."""
        tags = []
        for number, place in enumerate(places):
            self.run_for(after_ms if number == 0 and after_ms is not None else pace_ms)
            tag = TAGS[self._dealt]
            self._dealt += 1
            self._laid[tag] = (place, self.now_ms)
            tags.append(tag)
        return tags

    def silence(self, place: str, for_ms: int = 10**9) -> None:
        """The antenna there hears nothing from now on."""
        self._silences.append((place, self.now_ms, self.now_ms + for_ms))

    def wake(self, place: str) -> None:
        self._silences = [one for one in self._silences if one[0] != place]

    def hide(self, tag: str, is_hidden: bool = True) -> None:
        """No antenna hears that card any more, or they hear it again."""
        (self._hidden.add if is_hidden else self._hidden.discard)(tag)

    def cross(self, tag: str, place: str, in_ms: int = 1) -> None:
        """The antenna at `place` hears a card that lies elsewhere, once."""
        self._crossed.append((self.now_ms + in_ms, tag, place))

    def move(self, tag: str, place: str) -> None:
        self._laid[tag] = (place, self.now_ms)

    def press(self, *keys: str) -> list[Change]:
        return [change for key in keys for change in self.take(KeyPressed(key, self._now_ns(), "keys-1"))]

    def next_hand(self) -> None:
        """The pot is pushed and the cards are gathered on the stub."""
        self.press("push")
        for tag in self._laid:
            self._laid[tag] = ("stub", self.now_ms)
        self.run_for(4 * CYCLE_MS)
        self.press("next hand", "shuffle", "cut")

    def run_for(self, duration_ms: int) -> None:
        self.run_to(self.now_ms + duration_ms)

    def run_to(self, until_ms: int) -> None:
        """All polls from now until then, in order."""
        polls = sorted(
            (at_ms, index, place)
            for index, place in enumerate(ANTENNAS)
            for at_ms in range(self._next_poll_ms(index), until_ms + 1, CYCLE_MS)
        )
        for at_ms, _, place in polls:
            self._hear_strays(at_ms)
            self._tick(at_ms)
            self.now_ms = at_ms
            self._poll(place)
        self._hear_strays(until_ms)
        self._tick(until_ms)
        self.now_ms = until_ms

    # -- what was concluded

    def standing(self, *kinds: type) -> list[AnyFinding]:
        """The findings of these kinds that stand now, of all kinds when none is named."""
        return [each.finding for each in self.entries(*kinds)]

    def entries(self, *kinds: type) -> list[Standing]:
        return [s for s in self.state.standing if not kinds or isinstance(s.finding, kinds)]

    def words(self, *kinds: type) -> list[str]:
        """How certain each of them is."""
        return [each.certainty for each in self.entries(*kinds)]

    @property
    def places(self) -> tuple[str, ...]:
        """Where the cards of the hand lie, in the order of the deal."""
        return tuple(card.at for card in self.state.hand.cards)

    # -- inside

    def take(self, observation: AnyObservation) -> list[Change]:
        event = Event(self.state.last_seq + 1, observation)
        self.events.append(event)
        self.state, outcome = self.fold.apply(self.state, event)
        self.changes += outcome.changes
        self.alerts += outcome.alerts
        return list(outcome.changes)

    def draw(self, number: int) -> None:
        """Card `number` leaves the shoe."""
        self.take(CardDrawn(self._now_ns(), "shoe-1", TAGS[number - 1]))

    def _next_poll_ms(self, index: int) -> int:
        """Of the antenna of that index, after now."""
        return self.now_ms + 1 + (index * PHASE_STEP_MS - self.now_ms - 1) % CYCLE_MS

    def _tick(self, until_ms: int) -> None:
        while (look_ns := self.state.look_ns) is not None:
            due_ms = -(-look_ns // NS_PER_MS) + self.late_ms
            if due_ms > until_ms:
                return
            self.now_ms = max(self.now_ms, due_ms)
            self.take(TimePassed(self._now_ns()))

    def _hear_strays(self, until_ms: int) -> None:
        due = sorted(one for one in self._crossed if one[0] <= until_ms)
        self._crossed = [one for one in self._crossed if one[0] > until_ms]
        for at_ms, tag, place in due:
            self.now_ms = max(self.now_ms, at_ms)
            self._heard(tag, place)

    def _poll(self, place: str) -> None:
        if any(where == place and from_ms <= self.now_ms < to_ms for where, from_ms, to_ms in self._silences):
            heard = set[str]()
        else:
            lies = {tag for tag, (where, _) in self._laid.items() if where == place}
            heard = lies - self._hidden
        for tag in sorted(heard):
            self._heard(tag, place)
        for (tag, where), read in list(self._reads.items()):
            if where == place and tag not in heard:
                self._missed(tag, where, read)

    def _heard(self, tag: str, place: str) -> None:
        read = self._reads.get((tag, place))
        now_ns = self._now_ns()
        if read is None:
            self._reads[tag, place] = _Read(1, self.now_ms)
            before_ns = now_ns - CYCLE_MS * NS_PER_MS
            self.take(CardArrived(place, tag, before_ns, now_ns, "reader-1"))
            return
        self._reads[tag, place] = _Read(read.count + 1, self.now_ms)
        if read.count < READS_TOLD:
            self.take(CardReadAgain(place, tag, read.count + 1, now_ns, "reader-1"))

    def _missed(self, tag: str, place: str, read: _Read) -> None:
        self._reads[tag, place] = read._replace(missed=read.missed + 1)
        if read.missed + 1 >= GONE_AFTER:
            del self._reads[tag, place]
            last_ns = read.last_ms * NS_PER_MS
            self.take(CardDeparted(place, tag, last_ns, self._now_ns(), "reader-1"))

    def _now_ns(self) -> int:
        return self.now_ms * NS_PER_MS


def seats(*numbers: int) -> tuple[str, ...]:
    return tuple(f"seat {number}" for number in numbers)


def two_passes(table: ReadTable) -> tuple[str, ...]:
    """The places of the initial deal of the hand in play."""
    return seats(*table.state.hand.order) * 2


def without_pause(model: DealModel) -> DealModel:
    """The same with a dealer who never stops."""
    return replace(model, dealer=replace(model.dealer, pause=0.0))


def kinds_of(changes: Iterable[Change]) -> set[str]:
    return {str(change.finding.__struct_config__.tag) for change in changes if change.raised}
