"""Listening at the ports: three levels for each device, and what the bytes of a nameless port sound like.

A port that the configuration names is spoken to as the bridge would; at any other port nothing is ever
written, and DTR and RTS stay low where the boards behind that adapter restart when they move.
"""

import asyncio
from collections.abc import Iterable

import msgspec

from protocol.codec import CODECS
from protocol.envelopes import LineEnvelope, ReportsEnvelope
from protocol.messages import CardDrawn, TagSeen
from shoe_bridge.adapters.host import Host, SerialPort
from shoe_bridge.adapters.listening import ACCEPT_S
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.cli.live_device import TURN_S, LiveDevice
from shoe_bridge.errors import PortError
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.link_config import LinkConfig
from shoe_bridge.runtime.config import DeviceConfig

DEVICE_S = 4.0  # a link says after 3 s that a device does not answer
LISTEN_S = 1.5
LISTEN = "listen://"  # a device there connects by itself, which may take it some seconds
_ENOUGH_S = 1.5  # what a device that has proven itself is listened to
_MOST_BYTES = 64 * 1024
_LEAST_SHARE = 0.5  # of the bytes that must be frames for a kind to be believed
# the speeds of the kinds; the first one serves adapters without a line of their own, too
_LINES = ((115_200, "N"), (9_600, "N"), (4_800, "N"), (38_400, "E"))
_RESETS = ("cp210x", "ch9102")  # Pepper C1 and ESP32 boards
_UNFRAMED = (LineEnvelope, ReportsEnvelope)


class DeviceProbe(msgspec.Struct, frozen=True, tag_field="type", tag="device"):
    """How far the bytes of one configured device come. `trouble` is the link's own sentence, or why the port
    could not be opened (`is_open` False) or closed by itself (`is_lost`). `sounds_like` are the kinds whose
    frames its bytes are, `identity` is who it is by its own word; `has_keys`: the configuration names keys of
    it."""

    name: str
    kind: str
    port: str
    is_open: bool
    received: int = 0
    frames: int = 0
    junk: int = 0
    events: int = 0
    verified: bool = False
    trouble: str | None = None
    sounds_like: tuple[str, ...] = ()
    identity: str | None = None
    is_lost: bool = False
    has_keys: bool = False


class Heard(msgspec.Struct, frozen=True, tag_field="type", tag="heard"):
    """What a port that no configuration names let hear: bytes at `baud` and `parity`, and the kinds that it
    may be. `trouble`: why it could not be listened to."""

    port: str
    received: int = 0
    baud: int = 0
    parity: str = "N"
    sounds_like: tuple[str, ...] = ()
    trouble: str | None = None


def sounds_like(data: bytes) -> tuple[str, ...]:
    """The kinds of device that could have sent these bytes, the likeliest first; empty for noise."""
    shares = {kind: _share(kind, data) for kind in CODECS} if data else {}
    return tuple(sorted((kind for kind in shares if shares[kind] > 0), key=lambda kind: -shares[kind]))


async def probe_devices(
    devices: Iterable[DeviceConfig], seconds: float = DEVICE_S, links: Iterable[LinkConfig] = ()
) -> list[DeviceProbe]:
    """Each device on its full link, all at once. `links` say who the devices must be, where that is known."""
    known = {link.name: link for link in links}
    return list(
        await asyncio.gather(*(_probe(device, seconds, known.get(device.name)) for device in devices))
    )


async def listen_to(ports: Iterable[SerialPort], seconds: float = LISTEN_S) -> list[Heard]:
    """Each port without a word to it, all at once."""
    return list(await asyncio.gather(*(_listen(port, seconds) for port in ports)))


def may_be_listened_to(port: SerialPort, host: Host) -> bool:
    """Whether nobody else uses the port, and a device may be behind it."""
    is_console = port.path.rpartition("/")[2] in host.uart_consoles
    return not (port.users or port.permission_fix or is_console) and port.usb_id is not None


async def _probe(device: DeviceConfig, seconds: float, config: LinkConfig | None) -> DeviceProbe:
    heard = bytearray()

    def on_bytes(direction: str, data: bytes, at_mono_ns: int) -> None:
        del at_mono_ns
        if direction == "<":
            heard.extend(data[: _MOST_BYTES - len(heard)])

    live = LiveDevice(device, on_bytes, accept_s=ACCEPT_S, config=config)
    shown = (device.name, device.kind, device.port)
    try:
        async with asyncio.timeout((ACCEPT_S if device.port.startswith(LISTEN) else seconds) + 2):
            await live.open()
        await _live(live, seconds)
    except PortError as error:
        return DeviceProbe(*shown, is_open=False, trouble=str(error))
    except TimeoutError:
        return DeviceProbe(
            *shown, is_open=False, trouble=f"{device.port} did not open in time: see to its host"
        )
    finally:
        live.close()
    levels = live.levels
    return DeviceProbe(
        *shown,
        is_open=True,
        received=levels.received,
        frames=levels.frames,
        junk=levels.junk,
        events=levels.events,
        verified=live.is_verified,
        trouble=live.trouble,
        sounds_like=sounds_like(bytes(heard)) if not levels.frames else (),
        identity=live.link.identity if live.is_verified else None,
        is_lost=live.lost is not None,
        has_keys=bool(device.keys),
    )


async def _live(live: LiveDevice, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    begun_s = loop.time()
    while (waited_s := loop.time() - begun_s) < seconds and live.lost is None:
        live.turn()
        if live.is_verified and waited_s >= min(_ENOUGH_S, seconds):
            return
        await asyncio.sleep(TURN_S)


async def _listen(port: SerialPort, seconds: float) -> Heard:
    """At one speed after the other, as long as bytes come that mean nothing. A silent line is as silent at
    another speed."""
    best = Heard(port.path)
    for baud, parity in _LINES:
        try:
            data = await _bytes_of(port, baud, parity, seconds)
        except PortError as error:
            return msgspec.structs.replace(best, trouble=str(error))
        kinds = sounds_like(data)
        if kinds or len(data) > best.received:
            best = Heard(port.path, len(data), baud, parity, kinds)
        if kinds or not data:
            break
    return best


async def _bytes_of(port: SerialPort, baud: int, parity: str, seconds: float) -> bytes:
    heard, lost = bytearray(), asyncio.Event()
    tty = TtyPort(port.path, baud=baud, parity=parity, lines_low=port.chip in _RESETS)
    try:
        await tty.open_async(
            lambda data, _at: heard.extend(data[: _MOST_BYTES - len(heard)]), lambda _why: lost.set()
        )
        try:
            await asyncio.wait_for(lost.wait(), seconds)
        except TimeoutError:
            pass
    finally:
        tty.close()
    return bytes(heard)


def _share(kind: str, data: bytes) -> float:
    """Which part of the bytes are frames of that kind; 0 where too few are. A line of text is only a sign of
    its kind if it names a tag or a card."""
    decoder = Decoder(CODECS[kind])
    frames = [one for one in [*decoder.feed(data), *decoder.finish()] if isinstance(one, DecodedFrame)]
    if isinstance(CODECS[kind].envelopes[0], _UNFRAMED):
        frames = [one for one in frames if isinstance(next(iter(one.messages), None), TagSeen | CardDrawn)]
    share = sum(len(one.raw) for one in frames if one.messages) / len(data)
    return share if share >= _LEAST_SHARE else 0.0
