"""Records one life of one port into a capture, line by line as it happens."""

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

from shoe_bridge.cli.capture_file import (
    FROM_DEVICE,
    TO_DEVICE,
    Happening,
    Piece,
    entry_line,
    header_lines,
)
from shoe_bridge.cli.capture_out import Put, opened
from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.live_device import TURN_S, LiveDevice
from shoe_bridge.cli.output_name import output_name
from shoe_bridge.errors import UsageError
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.plain_file import write_fault
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.device_ports import device_port

_SHOWN_EVERY_S = 0.5


class Recording:
    """What was recorded so far; `write` takes pieces as they cross the port. `lost` says why the port ended
    by itself, `failed` why no more can be written: then nothing more is taken."""

    def __init__(self, kind: str, put: Put, header: dict[str, str], began_ns: int) -> None:
        self.received = self.sent = self.reads = self.frames = 0
        self.lost: str | None = None
        self.failed: OSError | None = None
        self._put_line = put
        self._began_ns = began_ns
        self._ended_ns: int | None = None
        self._decoder = Decoder(line_codec(kind))
        for line in header_lines(header):
            self._put(line)

    @property
    def seconds(self) -> float:
        return ((self._ended_ns or time.monotonic_ns()) - self._began_ns) / 1e9

    def write(self, direction: str, data: bytes, at_mono_ns: int) -> None:
        if not self._put(entry_line(Piece(max(0, at_mono_ns - self._began_ns), direction, data))):
            return
        if direction == TO_DEVICE:
            self.sent += len(data)
            return
        self.received += len(data)
        self.reads += 1
        self.frames += sum(isinstance(result, DecodedFrame) for result in self._decoder.feed(data))

    def lose(self, why: str) -> None:
        self.lost = self.lost or why
        self._put(entry_line(Happening(time.monotonic_ns() - self._began_ns, why)))

    def end(self) -> None:
        self._ended_ns = time.monotonic_ns()

    def _put(self, line: str) -> bool:
        """Whether the line was written. It is called by the port, which could do nothing about an error."""
        if self.failed is None:
            try:
                self._put_line(line)
            except OSError as error:
                self.failed = error
        return self.failed is None


def record(
    config: DeviceConfig,
    file: Path,
    header: dict[str, str],
    *,
    is_listening: bool,
    seconds: float | None,
    is_private: bool = False,
) -> Recording:
    """Record until a signal, the end of `seconds` from now on, or the loss of the port. PortError when the
    port cannot be opened (no file is written then), UsageError when the file cannot be written, or no more of
    it, BrokenPipeError when nobody reads it any more. `is_private`: only this user may read the file."""
    recording = asyncio.run(_record(config, file, header, is_listening, seconds, is_private))
    if isinstance(recording.failed, BrokenPipeError):
        raise recording.failed
    if recording.failed is not None:
        name = output_name() or "The standard output" if str(file) == "-" else file
        raise UsageError(
            f"{name} cannot be written {write_fault(recording.failed)}, and capture again; it holds only the "
            f"first {counted(recording.reads, 'read')}"
        )
    return recording


async def _record(
    config: DeviceConfig,
    file: Path,
    header: dict[str, str],
    is_listening: bool,
    seconds: float | None,
    is_private: bool,
) -> Recording:
    held: list[tuple[str, bytes, int]] = []  # what crosses the port before the file is there
    recording: Recording | None = None
    lost: list[str] = []

    def on_bytes(direction: str, data: bytes, at_mono_ns: int) -> None:
        if recording is None:
            held.append((direction, data, at_mono_ns))
        else:
            recording.write(direction, data, at_mono_ns)

    began_ns = time.monotonic_ns()
    # a device that connects by itself may take its time: how long is said by the caller or by Ctrl-C
    live = None if is_listening else LiveDevice(config, on_bytes, accept_s=None)
    port = device_port(config, accept_s=None)
    with _stop_signals() as stop, contextlib.ExitStack() as closing:
        if live is not None:
            closing.callback(live.close)
            opening = live.open()
        else:
            closing.callback(port.close)
            opening = port.open_async(lambda data, at: on_bytes(FROM_DEVICE, data, at), lost.append)
        is_open = await _opened_in_time(opening, stop, seconds)
        with opened(file, is_private=is_private) as put:
            recording = Recording(config.kind, put, header, began_ns)
            for piece in held:
                recording.write(*piece)
            if is_open:
                await _until_ended(recording, stop, live, lost, seconds)
            recording.end()
            return recording


async def _opened_in_time(
    opening: Coroutine[Any, Any, None], stop: asyncio.Event, seconds: float | None
) -> bool:
    """Whether the port opened before the end: one that is listened at opens when its device comes."""
    task, stopped = asyncio.ensure_future(opening), asyncio.ensure_future(stop.wait())
    await asyncio.wait({task, stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if task.done():
        await task
        return True
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return False


async def _until_ended(
    recording: Recording, stop: asyncio.Event, live: LiveDevice | None, lost: list[str], seconds: float | None
) -> None:
    shown_s = 0.0
    while not stop.is_set() and recording.failed is None and (seconds is None or recording.seconds < seconds):
        if live is not None:
            live.turn()
            lost = [live.lost] if live.lost is not None else []
        if lost:
            recording.lose(lost[0])
            break
        if recording.seconds - shown_s >= _SHOWN_EVERY_S:
            shown_s = recording.seconds
            _show(recording)
        await asyncio.sleep(TURN_S)
    if shown_s and sys.stderr.isatty():
        print(file=sys.stderr)


def _show(recording: Recording) -> None:
    """The counters on one line of a terminal; nothing elsewhere."""
    if sys.stderr.isatty():
        counts = f"{counted(recording.received, 'byte')}, {counted(recording.frames, 'frame')}"
        text = f"\r{recording.seconds:8.1f} s  {counts}\033[K"
        print(text, end="", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _stop_signals() -> Iterator[asyncio.Event]:
    """An event that SIGINT, SIGTERM and SIGHUP set, so that a capture that is stopped, or whose terminal is
    closed, is whole. What `nohup` keeps off stays so."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    names = [name for name in wanted if signal.getsignal(name) is not signal.SIG_IGN]
    for name in names:
        with contextlib.suppress(ValueError, RuntimeError):  # not in the main thread: nobody sends them there
            loop.add_signal_handler(name, stop.set)
    try:
        yield stop
    finally:
        for name in names:
            loop.remove_signal_handler(name)
