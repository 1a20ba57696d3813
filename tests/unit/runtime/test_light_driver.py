"""The binding of a light to the loop, with ports that only note what is done to them."""

import asyncio
import io
from collections.abc import Callable, Coroutine

import pytest

from protocol.messages import LightReport
from shoe_bridge.errors import PortError
from shoe_bridge.lights.adafruit_tower import AdafruitTower
from shoe_bridge.lights.console import ConsoleLight
from shoe_bridge.lights.lcus_relay import LcusRelay
from shoe_bridge.lights.tablelink_lamp import SetLight, TablelinkLamp
from shoe_bridge.link.backoff import Backoff
from shoe_bridge.runtime.effects import LightEffect
from shoe_bridge.runtime.light_driver import LightDriver, PortLight, port_light
from shoe_bridge.table.light_state import LightState

WAIT_S = 5.0


class NotedPort:
    """A port whose far side is the test."""

    def __init__(self, fault: str | None = None) -> None:
        self.fault = fault
        self.writes: list[bytes] = []
        self.takes = True
        self.drops = 0
        self.is_closed = False

    def open(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None:
        if self.fault:
            raise PortError(self.fault)
        self.on_data = on_data
        self.on_lost = on_lost

    async def open_async(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None:
        self.open(on_data, on_lost)

    def write(self, data: bytes) -> bool:
        if self.takes:
            self.writes.append(data)
        return self.takes

    def drop_unsent(self) -> None:
        self.drops += 1

    def close(self) -> None:
        self.is_closed = True


def quick() -> Backoff:
    return Backoff(lambda: 0.0, first_s=0.001, longest_s=0.001)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not is_so():  # noqa: ASYNC110  what is waited for is a timer of the light
            await asyncio.sleep(0.001)


def run_light(light: PortLight, test: Callable[[], Coroutine[None, None, None]]) -> None:
    """Runs `light` while `test` runs, and demands that it ends with it."""

    async def both() -> None:
        task = asyncio.ensure_future(light.run())
        try:
            await test()
        finally:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(both())


def test_a_change_is_written_within_the_call() -> None:
    port = NotedPort()
    troubles: list[str | None] = []
    light = PortLight(
        LightEffect("dealer", AdafruitTower()),
        lambda: port,
        quick(),
        on_change=lambda: troubles.append(light.driver.effect.trouble),
    )

    async def test() -> None:
        await until(lambda: len(port.writes) == 4)
        await asyncio.sleep(0.11)
        light.driver.desire(LightState.MISDEAL_ADVISED)
        assert port.writes[4:] == [b"\x41"]
        assert not await light.driver.settle(0.01)
        assert await light.driver.settle(WAIT_S)
        assert port.writes[4:] == [b"\x41", b"\x22", b"\x24", b"\x28"]
        assert light.driver.effect.is_showing(LightState.MISDEAL_ADVISED)

    run_light(light, test)
    assert port.is_closed
    assert set(troubles) == {None}  # an orderly end is none
    assert light.driver.effect.trouble is None


def test_a_lost_port_is_closed_and_a_new_one_opened_for_ever() -> None:
    ports = [
        NotedPort(),
        NotedPort("/dev/ttyUSB0 does not exist; plug the device in."),
        NotedPort(),
        NotedPort(),
    ]
    waiting = iter(ports)
    troubles: list[str | None] = []
    light = PortLight(
        LightEffect("dealer", LcusRelay()),
        lambda: next(waiting),
        quick(),
        on_change=lambda: troubles.append(light.driver.effect.trouble),
    )

    async def test() -> None:
        light.driver.desire(LightState.ALL_WELL)
        await until(lambda: ports[0].writes != [])
        ports[0].on_lost("its far side closed")
        await until(lambda: ports[2].writes != [])
        assert ports[0].is_closed
        assert ports[1].is_closed
        assert ports[2].writes == [bytes.fromhex("a00101a2")]
        ports[2].on_data(b"CH1: ON\r\nCH2: OFF\r\nCH3: OFF\r\n", 0)
        ports[2].on_lost("its far side closed")
        await until(lambda: ports[3].writes != [])

    run_light(light, test)
    assert troubles[:4] == [
        None,
        "light dealer is not connected: its far side closed.",
        "light dealer is not connected: /dev/ttyUSB0 does not exist; plug the device in.",
        None,
    ]


def test_a_port_that_takes_nothing_is_told_to_forget() -> None:
    port = NotedPort()
    light = PortLight(LightEffect("dealer", ConsoleLight()), lambda: port, quick())

    async def test() -> None:
        await until(lambda: len(port.writes) == 1)
        port.takes = False
        light.driver.desire(LightState.ALL_WELL)
        light.driver.desire(LightState.ATTENTION)
        assert port.drops == 0
        port.takes = True
        await until(lambda: len(port.writes) == 2)
        assert port.drops == 1
        assert port.writes[1] == b"light dealer [ !  ] ATTENTION\n"

    run_light(light, test)


class Broken(ConsoleLight):
    """A light whose own code fails for one state."""

    def show(self, state: LightState) -> list[bytes]:
        if state is LightState.ATTENTION:
            raise ZeroDivisionError("bug")
        return super().show(state)


def test_a_fault_in_the_lights_own_code_ends_that_life_alone() -> None:
    ports: list[NotedPort] = []

    def make() -> NotedPort:
        ports.append(NotedPort())
        return ports[-1]

    light = PortLight(LightEffect("dealer", Broken()), make, quick())

    async def test() -> None:
        await until(lambda: len(ports) == 1 and ports[0].writes != [])
        light.driver.desire(LightState.ATTENTION)
        trouble = light.driver.effect.trouble
        assert trouble == "light dealer is not connected: its driver failed (ZeroDivisionError: bug)."
        await until(lambda: len(ports) > 2)
        light.driver.desire(LightState.ALL_WELL)
        await until(lambda: ports[-1].writes == [b"light dealer [ ok ] ALL WELL\n"])
        assert light.driver.effect.trouble is None

    run_light(light, test)
    assert all(port.is_closed for port in ports)


def test_a_lamp_on_a_link() -> None:
    sent: list[SetLight] = []

    def write(command: SetLight) -> bool:
        sent.append(command)
        return True

    async def test() -> None:
        driver: LightDriver[SetLight, LightReport] = LightDriver(
            LightEffect("dealer", TablelinkLamp(1)), write, mono_ns=lambda: 0
        )
        driver.desire(LightState.MISDEAL_ADVISED)
        assert sent == []
        assert await driver.settle(0)  # a light that is closed keeps nobody waiting
        driver.opened()
        assert [command.pattern for command in sent] == ["fast_blink"]
        driver.take(LightReport(1, "fast_blink", 255, 0, 0))
        assert driver.effect.is_showing(LightState.MISDEAL_ADVISED)
        driver.closed("the device fell silent")
        assert not driver.effect.is_showing(LightState.MISDEAL_ADVISED)

    asyncio.run(test())


def test_port_light_by_kind() -> None:
    stream = io.BytesIO()
    light = port_light("dealer", "console", stream=stream)

    async def test() -> None:
        light.driver.desire(LightState.ALL_WELL)
        await until(lambda: light.driver.effect.is_showing(LightState.ALL_WELL))

    run_light(light, test)
    assert stream.getvalue() == b"light dealer [ ok ] ALL WELL\n"
    with pytest.raises(KeyError):
        port_light("dealer", "lighthouse")
    with pytest.raises(ValueError, match="LCUS"):
        port_light("dealer", "lcus_relay", "/dev/ttyUSB0", channels={})
