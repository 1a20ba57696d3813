"""USB lights over USB/IP on loopback: written in their own way, confirmed, unplugged, deaf, forgetful."""

import asyncio
from collections.abc import Callable, Iterator

import pytest
from light_looks import looks_of
from usb_bus import Bus
from usb_gadgets import FEATURE, LightGadget

from shoe_bridge.adapters import usb_device
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.lights.usb_lights import LOOKS_OF_KIND, UsbLook
from shoe_bridge.runtime.light_driver import PortLight, port_light
from shoe_bridge.sim.light_looks import OFF
from shoe_bridge.table.light_state import LightState
from shoe_bridge.usb_kinds import LIGHTS

WAIT_S = 8.0
ALL_WELL, ATTENTION = LightState.ALL_WELL, LightState.ATTENTION
MISDEAL, UNMONITORED = LightState.MISDEAL_ADVISED, LightState.NOT_MONITORED
BY_FEATURE = ("blink1", "blinkstick", "blinkstick_square", "delcom")


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    made = Bus()
    monkeypatch.setattr(usb_device, "open_backend", made.backend().itself)
    yield made
    made.close()


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not is_so():  # noqa: ASYNC110  what is waited for comes from a thread
            await asyncio.sleep(0.002)


def reports(kind: str, state: LightState) -> list[bytes]:
    return list(LOOKS_OF_KIND[kind].reports(LOOKS[state]))


def light_at(kind: str) -> PortLight:
    model = LIGHTS[kind].ids[-1]
    return port_light("dealer", kind, f"usb:{model.vendor}:{model.product}")


async def over(light: PortLight, task: "asyncio.Future[None]", gadget: LightGadget) -> None:
    """The orderly end of a bridge: not monitored, then the port is closed."""
    light.driver.desire(UNMONITORED)
    assert await light.driver.settle(WAIT_S)
    task.cancel()
    await asyncio.wait([task])
    await until(lambda: not gadget.claimed)


@pytest.mark.parametrize("kind", LIGHTS)
def test_each_kind_is_written_in_its_own_way_and_shows_what_it_is_told(bus: Bus, kind: str) -> None:
    gadget = LightGadget(kind)
    bus.plug(gadget)

    async def main() -> None:
        light = light_at(kind)
        effect = light.driver.effect
        light.driver.desire(ALL_WELL)
        task = asyncio.ensure_future(light.run())
        await until(lambda: effect.is_showing(ALL_WELL))
        assert gadget.taken[: len(reports(kind, ALL_WELL))] == reports(kind, ALL_WELL)
        assert gadget.seen == looks_of(kind)[ALL_WELL]
        light.driver.desire(MISDEAL)
        await until(lambda: effect.is_showing(MISDEAL))
        assert reports(kind, MISDEAL)[0] in gadget.taken
        await until(lambda: gadget.seen == looks_of(kind)[MISDEAL])
        assert effect.trouble is None
        await over(light, task, gadget)

    asyncio.run(main())
    # what was accepted last was sent though the port was closed
    wanted = reports(kind, UNMONITORED)
    assert gadget.taken[-len(wanted) :] == wanted
    if kind in BY_FEATURE:
        assert set(gadget.setups) == {(FEATURE, report[0]) for report in gadget.taken}
    else:
        assert gadget.setups == []
    assert gadget.driven == {0, 1}


def test_a_light_without_an_out_endpoint_is_written_by_control_transfers(bus: Bus) -> None:
    gadget = LightGadget("luxafor", has_out=False)
    bus.plug(gadget)

    async def main() -> None:
        light = light_at("luxafor")
        task = asyncio.ensure_future(light.run())
        await until(lambda: light.driver.effect.is_showing(UNMONITORED))
        await over(light, task, gadget)

    asyncio.run(main())
    assert set(gadget.setups) == {(2, 0)}  # output, no report id


def test_a_light_is_lost_and_told_the_latest_state_when_it_is_back(bus: Bus) -> None:
    gadget = LightGadget("blink1")

    async def main() -> None:
        light = light_at("blink1")
        effect = light.driver.effect
        light.driver.desire(ALL_WELL)
        task = asyncio.ensure_future(light.run())
        await until(lambda: "is not plugged in" in (effect.trouble or ""))
        bus.plug(gadget)
        await until(lambda: effect.is_showing(ALL_WELL))
        bus.unplug(gadget)
        assert gadget.seen == OFF
        await until(lambda: not effect.is_open)
        assert effect.shown is None
        assert effect.trouble == "light dealer is not connected: it was unplugged."
        light.driver.desire(ATTENTION)
        light.driver.desire(MISDEAL)
        gadget.taken.clear()
        gadget.driven = {0, 1}
        bus.plug(gadget)
        await until(lambda: effect.is_showing(MISDEAL))
        assert gadget.taken[: len(reports("blink1", MISDEAL))] == reports("blink1", MISDEAL)
        assert gadget.seen == looks_of("blink1")[MISDEAL]
        await over(light, task, gadget)

    asyncio.run(main())


def test_a_light_that_stops_reading_is_told_of_and_gets_only_the_latest_state(bus: Bus) -> None:
    gadget = LightGadget("blink1")
    bus.plug(gadget)

    async def main() -> None:
        light = light_at("blink1")
        effect = light.driver.effect
        light.driver.desire(ALL_WELL)
        task = asyncio.ensure_future(light.run())
        await until(lambda: effect.is_showing(ALL_WELL))
        gadget.is_deaf = True
        gadget.taken.clear()
        light.driver.desire(ATTENTION)
        slowest_s = 0.0
        while effect.trouble is None:
            before_s = asyncio.get_running_loop().time()
            await asyncio.sleep(0.01)
            slowest_s = max(slowest_s, asyncio.get_running_loop().time() - before_s)
        assert slowest_s < 0.1  # its silence costs the loop nothing
        assert effect.trouble == (
            "light dealer shows all well and not attention; switch it off and on, or exchange it."
        )
        light.driver.desire(MISDEAL)
        await asyncio.sleep(0.6)  # longer than a report is on its way
        assert gadget.taken == []
        gadget.hear()
        await until(lambda: effect.is_showing(MISDEAL))
        assert effect.trouble is None
        only = {*reports("blink1", MISDEAL)}
        assert set(gadget.taken) <= only
        await over(light, task, gadget)

    asyncio.run(main())


def test_a_light_that_forgets_is_told_anew(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = "kuando"
    quick = UsbLook(LOOKS_OF_KIND[kind].reports, keep_alive_ms=100, dark_after_ms=300)
    monkeypatch.setattr("shoe_bridge.lights.usb_lights.LOOKS_OF_KIND", {**LOOKS_OF_KIND, kind: quick})
    gadget = LightGadget(kind)
    bus.plug(gadget)

    async def main() -> None:
        light = light_at(kind)
        light.driver.desire(ATTENTION)
        task = asyncio.ensure_future(light.run())
        await until(lambda: gadget.seen == looks_of(kind)[ATTENTION])
        gadget.forget()
        await until(lambda: gadget.device.history[2:])
        shown = [shown for _, shown in gadget.device.history]
        assert shown == [looks_of(kind)[ATTENTION], OFF, looks_of(kind)[ATTENTION]]
        assert light.driver.effect.is_showing(ATTENTION)
        await over(light, task, gadget)

    asyncio.run(main())


def test_a_wrong_model_is_told_of(bus: Bus) -> None:
    """A BlinkStick of one LED does not know the report of eight."""
    gadget = LightGadget("blinkstick")
    bus.plug(gadget)

    async def main() -> None:
        light = light_at("blinkstick_square")
        task = asyncio.ensure_future(light.run())
        await until(lambda: "does not confirm" in (light.driver.effect.trouble or ""))
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: not gadget.claimed)

    asyncio.run(main())
    assert gadget.taken == []
