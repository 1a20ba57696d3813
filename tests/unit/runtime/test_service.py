"""One bridge as a process: ends on a signal, whether it runs or is still starting."""

import asyncio
import os
import signal
from typing import Any

import pytest

from shoe_bridge.errors import PortError
from shoe_bridge.runtime.service import run_until_stopped


class StandIn:
    """A bridge that starts as the test says, and signals its own process once it waits."""

    def __init__(self, *, starts: bool, failure: Exception | None = None, by: int = signal.SIGTERM) -> None:
        self.is_running = False
        self.is_ended = False
        self.was_patient: bool | None = None
        self._starts, self._failure, self._by = starts, failure, by

    async def run(self, stop: asyncio.Event, *, is_patient: bool) -> None:
        self.was_patient = is_patient
        if self._failure is not None:
            raise self._failure
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), self._by)
        try:
            if self._starts:
                self.is_running = True
                await stop.wait()
            else:
                await asyncio.Event().wait()  # a dead serial server
        finally:
            await asyncio.sleep(0)
            self.is_ended = True


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("starts", [True, False])
def test_a_signal_ends_it_in_order(by: int, starts: bool) -> None:
    bridge: Any = StandIn(starts=starts, by=by)
    run_until_stopped(bridge, is_patient=True)
    assert bridge.is_ended
    assert bridge.was_patient


def test_what_the_start_raises_comes_out() -> None:
    bridge: Any = StandIn(starts=True, failure=PortError("/dev/none does not exist: plug it in."))
    with pytest.raises(PortError, match="plug it in"):
        run_until_stopped(bridge, is_patient=False)


def test_the_signals_are_the_process_s_own_again_afterwards() -> None:
    run_until_stopped(StandIn(starts=True), is_patient=False)  # type: ignore[arg-type]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
