"""Where the tags of a deck come from: lines of hex, or a reader on its real link.

A source is an asynchronous iterator of `TagRead`; it ends with the lines, or never (a reader).
"""

import asyncio
import math
import sys
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from protocol.hid_rule import TypedRule, tag_typed, typed_rule
from shoe_bridge.cli.live_device import TURN_S, LiveDevice, whole_device
from shoe_bridge.errors import ConfigError, PortError, UsageError
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.plain_file import NotPlainError, read_bounded
from shoe_bridge.runtime.config import DeviceConfig, load
from shoe_bridge.runtime.config_kinds import ANTENNA_MAX
from shoe_bridge.table.cards import is_card
from shoe_bridge.table.observations import CardArrived, CardDeparted, CardStays, LinkLost

_SHORTEST_TAG_DIGITS = 8
_PROVE_ABSENCE = ("tablelink", "feig_obid", "pn532", "yrm100", "r2000")  # by empty polls
_SHOWN = 40  # characters: twice the longest tag
_OUT_OF_PRINT = str.maketrans("", "", " \t:-")


class TagRead(msgspec.Struct, frozen=True):
    """One tag as it was read, upper-case hex; `card` where the source names it. `is_clone`: it answers at two
    antennas at once, which one card does not. `is_gone`: it was taken away. It came within `window_ns`, from
    the last moment without it to the first with it (monotonic ns; both 0 where the source has no times).
    `fault`: why what was read names no tag; `tag` is then the text itself."""

    tag: str
    card: str | None = None
    is_clone: bool = False
    is_gone: bool = False
    window_ns: tuple[int, int] = (0, 0)
    fault: str | None = None


def parse_line(line: str) -> TagRead | None:
    """A line `TAG`, `CARD TAG` or `CARD=TAG`; spaces, colons and dashes between bytes are fine. None for an
    empty line and for what follows a `#`."""
    text = line.lstrip("\ufeff").split("#", 1)[0].strip()
    if not text:
        return None
    card, separator, rest = text.partition("=")
    if not separator:
        card, _, rest = text.partition(" ")
    tag = rest.translate(_OUT_OF_PRINT)
    if is_card(card.strip()) and (separator or len(tag) >= _SHORTEST_TAG_DIGITS):
        return TagRead(tag.upper(), card.strip())
    return TagRead(text.translate(_OUT_OF_PRINT).upper())


def shown_tag(tag: str) -> str:
    """A tag as it is told to a person, whatever was typed for one: on one line, in ASCII, and short."""
    text = tag.encode("unicode_escape").decode("ascii")
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


@asynccontextmanager
async def opened(device: DeviceConfig) -> AsyncIterator[AsyncIterator[TagRead]]:
    """`from_reader` as a context that has the device open before the first tag is asked for."""
    async with TagReader(device) as reader:
        yield _arrivals(reader)


@asynccontextmanager
async def read_from(
    lines: Iterable[str], rule: TypedRule | None = None
) -> AsyncIterator[AsyncIterator[TagRead]]:
    """`from_lines` as a context, as `opened` is one."""
    yield from_lines(lines, rule)


async def from_lines(lines: Iterable[str], rule: TypedRule | None = None) -> AsyncIterator[TagRead]:
    """The tags of the lines, one by one as they come; `rule`: the lines have them as a reader typed them."""
    for line in lines:
        read = parse_line(line)
        if read is not None:
            yield read if rule is None else _as_typed(read, rule)


def rule_of(typed: str) -> TypedRule:
    """The rule for typed tags that the option --typed names. UsageError for one that there is not."""
    try:
        return typed_rule(typed)
    except ValueError as error:
        raise UsageError(f"--typed: {error}") from None


def _as_typed(read: TagRead, rule: TypedRule) -> TagRead:
    tag = tag_typed(read.tag, rule)
    if isinstance(tag, str):
        return msgspec.structs.replace(read, tag=tag)
    return msgspec.structs.replace(read, fault="it does not fit the rule of --typed")


def lines_of(path: Path) -> Iterable[str]:
    """The lines of a file, or of the standard input for `-`. UsageError where it cannot be read."""
    if str(path) == "-":
        return sys.stdin
    try:
        return read_bounded(path).decode("utf-8").splitlines()
    except NotPlainError as error:
        raise UsageError(f"The tags in {path} are too many ({error}): name a file of tags.") from None
    except UnicodeDecodeError:
        raise UsageError(
            f"The tags in {path} are not text: give a file with one tag in hex per line."
        ) from None
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise UsageError(f"The tags in {path} cannot be read ({reason}): name a file of tags.") from None


def any_antenna(kind: str, port: str, typed: str | None = None) -> DeviceConfig:
    """A device of that kind with all its antennas good for a card, each a place of its own; `typed` is the
    rule of a hid_keyboard (None: what it types stands for the tag). UsageError for a kind without a link, and
    for a rule that there is not."""
    readers = [name for name in ANTENNA_MAX if ANTENNA_MAX[name]]
    if kind not in readers:
        raise UsageError(f"{kind!r} is no kind of reader: use one of {', '.join(readers)}")
    device = whole_device(kind, port)
    if kind == "text_line":
        # no configuration names what the program prints besides, and a person sees which tags come
        device = msgspec.structs.replace(device, chatter=("",))
    if typed is None:
        return device
    try:
        line_codec(kind, typed=typed)
    except ValueError as error:
        raise UsageError(f"--typed: {error}") from None
    return msgspec.structs.replace(device, typed=typed)


def antenna_of(config: Path, place: str) -> DeviceConfig:
    """The configured device whose antenna looks at `place`, with that antenna alone."""
    table = load(config)
    for device in table.devices:
        antennas = {number: where for number, where in device.antennas.items() if where == place}
        if antennas:
            return msgspec.structs.replace(device, antennas=antennas)
    places = sorted({where for device in table.devices for where in device.antennas.values()})
    raise ConfigError(f"{config}: no antenna looks at {place!r}: use one of {', '.join(places)}")


def telling_gap_s(device: DeviceConfig) -> float:
    """How far apart (s, a multiple of 0.1) cards must be laid for their order to be told: two polling cycles
    where all that is known of a tag that comes is that it came within the last one, or where another antenna
    may hear the next card; one where polls prove that it was not there. A quarter of a cycle is the line's.
    """
    is_polled = device.kind in _PROVE_ABSENCE and device.mode == "inventory"
    cycles = 1.25 if is_polled and len(device.antennas) == 1 else 2.25
    return math.ceil(cycles * device.cycle_ms / 100) / 10


async def from_reader(device: DeviceConfig) -> AsyncGenerator[TagRead, None]:
    """Each tag that arrives at the device, for as long as it is there; once more, as a clone, when it is read
    at one antenna and then at another one again. PortError when the device cannot be opened, is refused or is
    lost."""
    async with TagReader(device) as reader:
        async for read in _arrivals(reader):
            yield read


async def _arrivals(reader: "TagReader") -> AsyncIterator[TagRead]:
    while True:
        read = await reader.next(None)
        if read is not None and not read.is_gone:
            yield read


class TagReader:
    """One device, live, as a source of tags that come and go. Used as a context; PortError when it cannot be
    opened."""

    def __init__(self, device: DeviceConfig) -> None:
        self._live = LiveDevice(device)
        self._reads: deque[TagRead] = deque()
        self._present: dict[str, set[str]] = {}  # the places that each tag lies at

    async def __aenter__(self) -> "TagReader":
        try:
            await self._live.open()
        except BaseException:
            self._live.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._live.close()

    async def next(self, wait_s: float | None) -> TagRead | None:
        """The next tag that comes or goes; None when none has for `wait_s` (None: waits for ever). PortError
        when the device is refused or lost."""
        waited_s = 0.0
        while not self._reads:
            why = self._live.trouble
            if why is not None:
                port = self._live.device.port
                raise PortError(f"{port} gives no more tags: {why.rstrip('.')}; connect it again.")
            if wait_s is not None and waited_s >= wait_s:
                return None
            for seen in self._live.turn():
                self._take(seen)
            await asyncio.sleep(TURN_S)
            waited_s += TURN_S
        return self._reads.popleft()

    def _take(self, seen: object) -> None:
        if isinstance(seen, CardArrived):
            if not self._present.get(seen.tag):
                self._reads.append(TagRead(seen.tag, window_ns=(seen.not_before_ns, seen.not_after_ns)))
            self._present.setdefault(seen.tag, set()).add(seen.place)
        elif isinstance(seen, CardDeparted):
            places = self._present.get(seen.tag, set())
            places.discard(seen.place)
            if not places:
                self._reads.append(TagRead(seen.tag, is_gone=True))
        elif isinstance(seen, CardStays):
            self._reads.append(TagRead(seen.tag, is_clone=True))
        elif isinstance(seen, LinkLost):
            self._live.lost = self._live.lost or seen.why
