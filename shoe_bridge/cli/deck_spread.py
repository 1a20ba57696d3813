"""A whole deck spread out over a reader: which tag is which card? Pure: it is told what comes and goes.

Cards that were dealt onto the antenna one after the other came in the order told, and each is the next card.
Cards that came in one poll have no order among them: these are asked for one by one, by lifting them. If not
all cards were heard, none can be told by the order, since whatever lies behind a dead one would be one card
too early: then all are asked for.
"""

import msgspec

from shoe_bridge.cli.deck_tags import TagRead


class Doubt(msgspec.Struct, frozen=True):
    """Cards and tags that belong together, nobody knows which to which."""

    cards: tuple[str, ...]
    tags: tuple[str, ...]


class Spread:
    """The cards of `order`, laid out. A tag that goes and comes again counts from its last coming."""

    def __init__(self, order: tuple[str, ...]) -> None:
        self.order = order
        self.clones: set[str] = set()
        self._windows: dict[str, tuple[int, int]] = {}
        self._gone: set[str] = set()

    def take(self, read: TagRead) -> None:
        if read.is_clone:
            self.clones.add(read.tag)
        elif read.is_gone:
            self._gone.add(read.tag)
        else:
            self._gone.discard(read.tag)
            self._windows[read.tag] = read.window_ns

    @property
    def heard(self) -> int:
        """How many tags were ever heard."""
        return len(self._windows)

    @property
    def lying(self) -> set[str]:
        """The tags that are heard now: of a reader that tells each tag once, soon none."""
        return self._windows.keys() - self._gone

    @property
    def tags(self) -> list[str]:
        """In the order in which they came, as far as it is known: those that lie there; where none is heard
        any more, all that ever were if they are a whole deck."""
        is_all = not self.lying and len(self._windows) == len(self.order)
        return sorted(self._windows if is_all else self.lying, key=lambda tag: self._windows[tag][::-1])

    @property
    def is_whole(self) -> bool:
        return len(self.tags) == len(self.order)

    def told(self) -> dict[str, str]:
        """Tag to card, for the cards that the order tells."""
        if not self.is_whole:
            return {}
        return {doubt.tags[0]: doubt.cards[0] for doubt in self._groups() if len(doubt.tags) == 1}

    def doubts(self) -> list[Doubt]:
        """What has to be asked for."""
        if not self.tags:  # a reader that tells each tag once would not tell which was lifted either
            return []
        if not self.is_whole:
            return [Doubt(self.order, tuple(self.tags))]
        return [doubt for doubt in self._groups() if len(doubt.tags) > 1]

    def _groups(self) -> list[Doubt]:
        """The tags in runs: between two runs there was a moment at which the earlier were there and the later
        were not."""
        tags, groups = self.tags, list[list[str]]()
        earliest_ns = [0] * len(tags)  # that one of these or a later one can have come
        for at in reversed(range(len(tags))):
            before_ns = self._windows[tags[at]][0]
            earliest_ns[at] = min([before_ns, *earliest_ns[at + 1 : at + 2]])
        seen_ns = -1
        for tag, first_ns in zip(tags, earliest_ns, strict=True):
            if groups and first_ns < seen_ns:
                groups[-1].append(tag)
            else:
                groups.append([tag])
            seen_ns = self._windows[tag][1]
        cards = iter(self.order)
        return [Doubt(tuple(next(cards) for _ in group), tuple(group)) for group in groups]


class Lifting:
    """One doubt being settled: card after card is lifted, and the tag that goes is that card's."""

    def __init__(self, doubt: Doubt) -> None:
        self.found: dict[str, str] = {}
        self.dead: list[str] = []
        self._cards = list(doubt.cards)
        self._tags = set(doubt.tags)
        self._gone: set[str] = set()
        self._aside: dict[str, int] = {}  # how many tags were found when a card was first put off

    @property
    def due(self) -> str | None:
        """The card to lift next; None when all are known. The last card of as many tags is the last tag."""
        if not self._tags:
            self.dead += self._cards
            self._cards = []
        elif len(self._tags) == len(self._cards) == 1:
            self.found[self._tags.pop()] = self._cards.pop()
        return self._cards[0] if self._cards else None

    def take(self, read: TagRead) -> None:
        """A tag went or came (again)."""
        if read.tag in self._tags:
            (self._gone.add if read.is_gone else self._gone.discard)(read.tag)

    def settle(self) -> str | None:
        """After a moment of rest: what went answers for the card that is due; a sentence where not."""
        if not self._gone:
            return None
        if len(self._gone) > 1:
            return f"{len(self._gone)} tags are gone at once: lay all back but that one card"
        tag = self._gone.pop()
        self._tags.discard(tag)
        self.found[tag] = self._cards.pop(0)
        return None

    def put_off(self) -> bool:
        """No tag went for the card that is due: the others come first. True where it is dead: nothing went
        for it a second time, and for another card something did since, so that somebody is lifting."""
        card = self._cards.pop(0)
        if self._aside.setdefault(card, len(self.found)) < len(self.found):
            self.dead.append(card)
            return True
        self._cards.append(card)
        return False
