"""Where the tags of a deck come from: lines of hex, or a reader on its real link.

A source is an asynchronous iterator of `TagRead`; it ends with the lines, or never (a reader).
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from pathlib import Path

import msgspec

from shoe_bridge.adapters.clock import SystemClock
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.errors import ConfigError, PortError, UsageError
from shoe_bridge.link.device_link import DeviceLink
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.text_session import UNNUMBERED
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import DeviceConfig, load
from shoe_bridge.runtime.config_check import ANTENNA_MAX, SHOES
from shoe_bridge.table.cards import is_card
from shoe_bridge.table.observations import CardArrived, CardDeparted, CardStays, LinkLost

_TURN_S = 0.02
_SHORTEST_TAG_DIGITS = 8
_OUT_OF_PRINT = str.maketrans("", "", " \t:-")


class TagRead(msgspec.Struct, frozen=True):
    """One tag as it was read, upper-case hex; `card` where the source names it. `is_clone`: it answers at two
    antennas at once, which one card does not."""

    tag: str
    card: str | None = None
    is_clone: bool = False


def parse_line(line: str) -> TagRead | None:
    """A line `TAG`, `CARD TAG` or `CARD=TAG`; spaces, colons and dashes between bytes are fine. None for an
    empty line and for what follows a `#`."""
    text = line.split("#", 1)[0].strip()
    if not text:
        return None
    card, separator, rest = text.partition("=")
    if not separator:
        card, _, rest = text.partition(" ")
    tag = rest.translate(_OUT_OF_PRINT)
    if is_card(card.strip()) and (separator or len(tag) >= _SHORTEST_TAG_DIGITS):
        return TagRead(tag.upper(), card.strip())
    return TagRead(text.translate(_OUT_OF_PRINT).upper())


async def from_lines(lines: Iterable[str]) -> AsyncIterator[TagRead]:
    """The tags of the lines, one by one as they come."""
    for line in lines:
        read = parse_line(line)
        if read is not None:
            yield read


def lines_of(path: Path) -> Iterable[str]:
    """The lines of a file, or of the standard input for `-`. UsageError where it cannot be read."""
    if str(path) == "-":
        return sys.stdin
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise UsageError(
            f"The tags in {path} are not text: give a file with one tag in hex per line."
        ) from None
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise UsageError(f"The tags in {path} cannot be read ({reason}): name a file of tags.") from None


def any_antenna(kind: str, port: str) -> DeviceConfig:
    """A device of that kind with all its antennas good for a card, each a place of its own. UsageError for a
    kind without a link."""
    readers = [name for name in ANTENNA_MAX if name not in SHOES]
    if kind not in readers:
        raise UsageError(f"{kind!r} is no kind of reader: use one of {', '.join(readers)}")
    first = UNNUMBERED if kind == "text_line" else 1
    # antenna 1 alone is asked for without a mask, which many FEIG readers do not know
    last = first if kind == "feig_obid" else ANTENNA_MAX[kind]
    antennas = {number: f"antenna {number}" for number in range(first, last + 1)}
    return DeviceConfig(name="reader", kind=kind, port=port, antennas=antennas)


def antenna_of(config: Path, place: str) -> DeviceConfig:
    """The configured device whose antenna looks at `place`, with that antenna alone."""
    table = load(config)
    for device in table.devices:
        antennas = {number: where for number, where in device.antennas.items() if where == place}
        if antennas:
            return msgspec.structs.replace(device, antennas=antennas)
    places = sorted({where for device in table.devices for where in device.antennas.values()})
    raise ConfigError(f"{config}: no antenna looks at {place!r}: use one of {', '.join(places)}")


async def from_reader(device: DeviceConfig) -> AsyncGenerator[TagRead, None]:
    """Each tag that arrives at the device, for as long as it is there; once more, as a clone, when it is read
    at one antenna and then at another one again. PortError when the device cannot be opened, is refused or is
    lost."""
    reader = _Reader(device)
    try:
        await reader.open()
        while True:
            yield await reader.next_tag()
    finally:
        reader.close()


class _Reader:
    """One device's link, live, without a table around it."""

    def __init__(self, device: DeviceConfig) -> None:
        self._device = device
        (config,) = links_of((device,))
        self._link = DeviceLink(config, Presence(), lambda tag: True)
        low = device.kind == "pepper_c1"
        self._port = TtyPort(device.port, baud=device.baud, parity=device.parity, lines_low=low)
        self._clock = SystemClock()
        self._tags: asyncio.Queue[TagRead] = asyncio.Queue()
        self._present: dict[str, set[str]] = {}  # the places that each tag lies at
        self._lost: str | None = None

    async def open(self) -> None:
        await self._port.open_async(self._on_data, self._on_lost)
        self._link.opened(self._clock.mono_ns(), 1)
        self._write()

    async def next_tag(self) -> TagRead:
        while self._tags.empty():
            why = self._link.refusal or self._lost
            if why is not None:
                raise PortError(
                    f"{self._device.port} gives no more tags: {why.rstrip('.')}; connect it again."
                )
            self._turn()
            await asyncio.sleep(_TURN_S)
        return self._tags.get_nowait()

    def close(self) -> None:
        self._port.close()

    def _turn(self) -> None:
        now = self._clock.mono_ns()
        deadline_ns = self._link.next_deadline_ns()
        if deadline_ns is not None and deadline_ns <= now:
            self._take(self._link.tick(now))
        self._write()

    def _on_data(self, data: bytes, at_mono_ns: int) -> None:
        self._take(self._link.take(data, at_mono_ns))
        self._write()

    def _on_lost(self, why: str) -> None:
        self._lost = why

    def _take(self, observations: Iterable[object]) -> None:
        for seen in observations:
            if isinstance(seen, CardArrived):
                if not self._present.get(seen.tag):
                    self._tags.put_nowait(TagRead(seen.tag))
                self._present.setdefault(seen.tag, set()).add(seen.place)
            elif isinstance(seen, CardDeparted):
                self._present.get(seen.tag, set()).discard(seen.place)
            elif isinstance(seen, CardStays):
                self._tags.put_nowait(TagRead(seen.tag, is_clone=True))
            elif isinstance(seen, LinkLost):
                self._lost = seen.why

    def _write(self) -> None:
        for data in self._link.sends():
            self._port.write(data)
