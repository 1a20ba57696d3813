"""The touching itself: all devices of the table live, one question after the other, answered by touch."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, BinaryIO

import msgspec

from shoe_bridge.adapters.port_faults import kept_waiting
from shoe_bridge.cli.calibrate_lights import SHOWN, LoneLights, Replies
from shoe_bridge.cli.calibrate_map import (
    ANTENNA,
    KEY,
    LIGHT,
    SHOE,
    Answer,
    MapProof,
    Question,
    Spot,
    key_spot,
    number_of,
    widened,
)
from shoe_bridge.cli.live_device import TURN_S, LiveDevice
from shoe_bridge.errors import PortError
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.config_kinds import NAMELESS
from shoe_bridge.table.observations import (
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardStays,
    CardUnread,
    KeyPressed,
    LinkLost,
)

Tell = Callable[[dict[str, Any]], None]

_PROVE_S = 8.0  # a device has so long to prove itself
_LIE_S = 0.8  # a card that lies at an antenna when it begins is heard by then
_SETTLE_S = 0.4  # a second antenna that hears the card has done so by then
_MOVED_S = 2.5  # and a card that was moved is gone from where it was


class Calibration:
    """One calibration. `tell` gets one dict for each thing that a person should know; `type` says what:
    ask, retry, found, unproven, clear. Answers about lights are read from the standard input; console lights
    write to `console` (None: the standard output)."""

    def __init__(self, proof: MapProof, tell: Tell, wait_s: float, console: BinaryIO | None = None) -> None:
        self._proof = proof
        self._config: TableConfig = proof.config
        self._tell = tell
        self._wait_s = wait_s
        self._devices = {device.name: LiveDevice(widened(device)) for device in self._config.devices}
        self._lying: dict[str, set[Spot]] = {}
        self._touched: dict[str, set[Spot]] = {}  # by what was touched: a card is no key
        has_lights = any(question.what == LIGHT for question in proof.questions)
        shown = self._config if has_lights else msgspec.structs.replace(self._config, lights=())
        self._lights = LoneLights(shown, self._devices, console)
        self._replies = Replies()

    async def run(self) -> None:
        """Ask all questions. Raises PortError for a device that cannot be opened or is not the right one."""
        try:
            for live in self._devices.values():
                await live.open()
            async with self._lights.running():
                await self._until_proven()
                await self._until_clear()
                for number, question in enumerate(self._proof.questions, start=1):
                    await self._ask(number, question)
        finally:
            for live in self._devices.values():
                live.close()

    # -- the devices

    async def _until_proven(self) -> None:
        """A device that has a name to give has given it before anything is asked."""
        deadline_s = time.monotonic() + _PROVE_S
        waiting = [one for one in self._devices.values() if one.device.kind not in (*NAMELESS, "text_line")]
        while not all(live.is_verified for live in waiting) and time.monotonic() < deadline_s:
            await self._turn()
        for live in waiting:
            if not live.is_verified:
                raise PortError(live.trouble or _no_answer(live))

    async def _turn(self) -> None:
        await asyncio.sleep(TURN_S)
        for name, live in self._devices.items():
            for seen in live.turn():
                self._take(name, seen)
        self._lights.turn()

    def _take(self, name: str, seen: object) -> None:
        if isinstance(seen, CardArrived | CardStays):
            spot = Spot(name, number_of(seen.place))
            self._lying.setdefault(seen.tag, set()).add(spot)
            if isinstance(seen, CardArrived):
                self._touch_at(ANTENNA, spot)
        elif isinstance(seen, CardDeparted):
            self._lying.get(seen.tag, set()).discard(Spot(name, number_of(seen.place)))
        elif isinstance(seen, KeyPressed):
            self._touch_at(KEY, key_spot(self._devices[name].device, number_of(seen.key)))
        elif isinstance(seen, CardDrawn | CardUnread):
            self._touch_at(SHOE, Spot(name, 0))
        elif isinstance(seen, LinkLost):
            trouble = self._devices[name].trouble
            raise PortError(f"{name} was lost ({seen.why}): {trouble or 'connect it'} and begin again")

    def _touch_at(self, what: str, spot: Spot) -> None:
        self._touched.setdefault(what, set()).add(spot)

    async def _until_clear(self) -> None:
        """No card lies at an antenna when it begins: it could not be laid there."""
        if not any(question.what == ANTENNA for question in self._proof.questions):
            return
        begun_s = time.monotonic()
        told: set[Spot] = set()
        while time.monotonic() < begun_s + self._wait_s:
            await self._turn()
            lying = set().union(*self._lying.values())
            if not lying and time.monotonic() >= begun_s + _LIE_S:
                return
            if lying - told:
                where = sorted(spot.words(ANTENNA) for spot in lying)
                self._tell({"type": "clear", "text": f"take the cards off {', '.join(where)}"})
                told |= lying
        raise PortError("cards lie on the antennas still: clear the table and begin again")

    # -- questions

    async def _ask(self, number: int, question: Question) -> None:
        self._tell(
            {
                "type": "ask",
                "what": question.what,
                "name": question.name,
                "number": number,
                "of": len(self._proof.questions),
                "text": question.words(),
            }
        )
        answered = await (self._look(question) if question.what == LIGHT else self._touch(question))
        if not answered:
            refusals = [live.link.refusal for live in self._devices.values() if live.link.refusal is not None]
            text = "; ".join([f"{question.name}: not proven", *refusals])
            self._tell({"type": "unproven", "what": question.what, "name": question.name, "text": text})

    async def _touch(self, question: Question) -> bool:
        self._touched.clear()
        deadline_s = time.monotonic() + self._wait_s
        while time.monotonic() < deadline_s:
            await self._turn()
            spots = await self._heard(question) if self._touched.get(question.what) else set()
            if not spots:
                continue
            answer = self._proof.heard(question, spots)
            self._tell_answer(question, answer)
            if answer.is_proof:
                return True
            self._touched.clear()
        return False

    async def _heard(self, question: Question) -> set[Spot]:
        """Where the touch was heard: a card is given time to be heard elsewhere, and gone from before."""
        if question.what in (KEY, SHOE):
            return self._touched.pop(question.what)
        begun_s = time.monotonic()
        while True:
            await self._turn()
            lies = {
                spot for spots in self._lying.values() if spots & self._touched[ANTENNA] for spot in spots
            }
            waited_s = time.monotonic() - begun_s
            new = lies - set(self._proof.found.values())
            if waited_s >= _MOVED_S or (waited_s >= _SETTLE_S and len(new) <= 1):
                return lies or set(self._touched[ANTENNA])

    def _tell_answer(self, question: Question, answer: Answer) -> None:
        spot = answer.spot
        line: dict[str, Any] = {"type": "found" if answer.is_proof else "retry", "what": question.what}
        line["name"] = question.name
        if spot is not None:
            is_same = (question, spot) not in self._proof.changes
            line |= {"device": spot.device, "as_configured": is_same}
            line |= {"number": spot.number} if question.what in (ANTENNA, KEY) else {}
        self._tell({**line, "text": answer.text})

    # -- lights

    async def _look(self, question: Question) -> bool:
        """Every state once; one that is not what was seen leaves the light unproven, another light that
        shines in its stead proves that the two are exchanged."""
        lights = self._lights
        for state in SHOWN:
            lights.show(question.name, state)
            said = await self._reply(lights.question(question.name, state))
            if said in lights.names and said != question.name:
                answer = self._proof.looked(question, said)
                self._tell_answer(question, answer)
                return answer.is_proof
            if said not in ("y", "yes", question.name):
                return False
        self._tell_answer(question, self._proof.looked(question, question.name))
        return True

    async def _reply(self, text: str) -> str:
        """A line of the standard input; the devices and lights live on while it is waited for."""
        self._tell({"type": "look", "text": text})
        self._replies.ask()
        deadline_s = time.monotonic() + self._wait_s
        while time.monotonic() < deadline_s:
            await self._turn()
            said = self._replies.taken()
            if said is not None:
                return said
        return ""


def _no_answer(live: LiveDevice) -> str:
    port = live.device.port
    what = f"{live.device.name} at {port} does not answer: check its power and its cable"
    return what if live.levels.received else what + kept_waiting(port)
