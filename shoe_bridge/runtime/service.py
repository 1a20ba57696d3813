"""One bridge as a process: runs it on an event loop of its own until a signal ends it."""

import asyncio
import signal

from shoe_bridge.runtime.bridge import Bridge


def run_until_stopped(bridge: Bridge, *, is_patient: bool) -> None:
    """Blocks until SIGINT, SIGTERM or SIGHUP (the terminal went away). Raises what the start raises."""
    asyncio.run(_serve(bridge, is_patient))


async def _serve(bridge: Bridge, is_patient: bool) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(name, stop.set)
    serving = asyncio.ensure_future(bridge.run(stop, is_patient=is_patient))
    stopping = asyncio.ensure_future(stop.wait())
    # A start that hangs on a dead serial server must still end at once on a signal.
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not serving.done() and not bridge.is_running:
        serving.cancel()
    stopping.cancel()
    try:
        await serving
    except asyncio.CancelledError:
        pass
