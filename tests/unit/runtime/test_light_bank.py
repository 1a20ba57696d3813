"""All lights of a table: the same state on each, and each fails alone."""

import asyncio
import io
from collections.abc import Callable
from typing import Any

from protocol.messages import LightReport
from shoe_bridge.lights.tablelink_lamp import SetLight
from shoe_bridge.runtime.light_bank import LightBank
from shoe_bridge.table.light_state import LightState


class Lamps:
    """The lamps behind the devices' links; `takes` False: the link's queue is full."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, SetLight]] = []
        self.takes = True

    def set(self, device: str, command: SetLight) -> bool:
        if self.takes:
            self.sent.append((device, command))
        return self.takes

    def patterns(self, device: str) -> list[str]:
        return [command.pattern for name, command in self.sent if name == device]


def bank_of(
    document: dict[str, Any], configured: Callable[..., Any], lamps: Lamps, told: list[dict[str, Any]]
) -> LightBank:
    document["device"].append({"name": "lamps-2", "kind": "tablelink", "port": "/dev/shoe-bridge/lamps-2"})
    document["light"].append({"name": "floor", "kind": "tablelink", "device": "lamps-2", "lamp": 3})
    return LightBank(configured(document), lamps.set, told.append)


def shown(lamp: int, pattern: str, red: int, green: int, blue: int) -> LightReport:
    return LightReport(lamp, pattern, red, green, blue)


def test_each_lamp_is_set_once_its_device_is_up(document, configured, told):
    async def main() -> None:
        lamps = Lamps()
        bank = bank_of(document, configured, lamps, told)
        bank.desire(LightState.ATTENTION)
        assert lamps.sent == []
        bank.device_is("keys-1", True)
        assert lamps.patterns("keys-1") == ["slow_blink"]
        assert lamps.patterns("lamps-2") == []
        bank.device_is("lamps-2", True)
        bank.device_is("lamps-2", True)  # says nothing new
        assert lamps.patterns("lamps-2") == ["slow_blink"]
        assert lamps.sent[-1][1].lamp == 3
        bank.desire(LightState.MISDEAL_ADVISED)
        assert lamps.patterns("keys-1")[-1] == lamps.patterns("lamps-2")[-1] == "fast_blink"
        await bank.settle(1.0)

    asyncio.run(main())


def test_what_a_lamp_confirms_is_told(document, configured, told):
    async def main() -> None:
        lamps = Lamps()
        bank = bank_of(document, configured, lamps, told)
        bank.device_is("keys-1", True)
        bank.desire(LightState.ATTENTION)
        told.clear()
        bank.take_report("keys-1", shown(1, "slow_blink", 255, 140, 0))
        assert told == [{"type": "lamp", "light": "dealer", "shown": "attention", "trouble": None}]
        bank.take_report("lamps-2", shown(1, "slow_blink", 255, 140, 0))  # no light of ours is lamp 1 there
        assert len(told) == 1

    asyncio.run(main())


def test_a_lost_device_takes_its_own_lamp_only(document, configured, told):
    async def main() -> None:
        lamps = Lamps()
        bank = bank_of(document, configured, lamps, told)
        for device in ("keys-1", "lamps-2"):
            bank.device_is(device, True)
        bank.desire(LightState.ALL_WELL)
        bank.device_is("keys-1", False)
        [trouble] = [one for one in told if one["light"] == "dealer" and one["trouble"]]
        assert trouble["shown"] is None
        assert "keys-1 is not connected" in trouble["trouble"]
        lamps.sent.clear()
        bank.desire(LightState.ATTENTION)
        assert lamps.patterns("keys-1") == []
        assert lamps.patterns("lamps-2") == ["slow_blink"]
        bank.device_is("keys-1", True)
        assert lamps.patterns("keys-1") == ["slow_blink"]

    asyncio.run(main())


def test_a_link_that_takes_nothing_gets_only_the_latest_state_afterwards(document, configured, told):
    async def main() -> None:
        lamps = Lamps()
        bank = bank_of(document, configured, lamps, told)
        bank.device_is("keys-1", True)
        lamps.sent.clear()
        lamps.takes = False
        for state in (LightState.ALL_WELL, LightState.MISDEAL_ADVISED, LightState.ATTENTION):
            bank.desire(state)
        assert any(one["trouble"] and "takes no more bytes" in one["trouble"] for one in told)
        lamps.takes = True
        async with asyncio.timeout(5):
            while not lamps.sent:  # noqa: ASYNC110  (the light's own timer does it)
                await asyncio.sleep(0.01)
        assert lamps.patterns("keys-1") == ["slow_blink"]

    asyncio.run(main())


def test_a_light_with_a_port_of_its_own_runs_as_a_job(document, configured, told, tmp_path):
    document["light"].append({"name": "relay", "kind": "lcus_relay", "port": str(tmp_path / "none")})

    async def main() -> None:
        bank = LightBank(configured(document), Lamps().set, told.append)
        [job] = bank.jobs()
        task = asyncio.ensure_future(job)
        async with asyncio.timeout(5):
            while not told:  # noqa: ASYNC110  (the light's own task does it)
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    assert told[0]["light"] == "relay"
    assert str(tmp_path / "none") in told[0]["trouble"]


def test_console_lights_write_where_they_are_told(document, configured, told):
    stream = io.BytesIO()

    async def main() -> None:
        document["light"] = [{"name": "screen", "kind": "console"}]
        bank = LightBank(configured(document), Lamps().set, told.append, console=stream)
        jobs = [asyncio.ensure_future(job) for job in bank.jobs()]
        bank.desire(LightState.ATTENTION)
        await bank.settle(1.0)
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    asyncio.run(main())
    assert stream.getvalue() == b"light screen [ !  ] ATTENTION\n"
