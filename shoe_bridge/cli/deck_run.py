"""The conversations with a person who lays cards on a reader: one after the other, all in a spread, one in
place of another, and those that did not answer alone."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial as bound
from pathlib import Path

from msgspec.structs import replace

from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.deck_check import DeckCheck
from shoe_bridge.cli.deck_enrol import Enrolment, card_name
from shoe_bridge.cli.deck_show import Show
from shoe_bridge.cli.deck_spread import Doubt, Lifting, Spread
from shoe_bridge.cli.deck_tags import TagRead, TagReader, telling_gap_s
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.table.deck import Register

_REST_S = 0.6  # a card that was lifted is gone, and nothing else is, for so long
_TURN_S = 0.1

Source = AsyncIterator[TagRead]
Opening = AbstractAsyncContextManager[Source]


async def with_source(opening: Opening, talk: Callable[[Source], Awaitable[None]]) -> None:
    """The conversation `talk`, with the source open before a word is said. Raises PortError."""
    async with opening as source:
        await talk(source)


async def enrol_one_by_one(enrolment: Enrolment, source: Source, partial: Path, show: Show) -> None:
    """Each tag that comes is the card that is due; a refused one leaves the same card due."""

    def ask() -> None:
        if enrolment.due is not None:
            show.ask(f"lay down the {card_name(enrolment.due)}", len(enrolment.tags))

    ask()
    async for read in source:
        offered = enrolment.offer(read)
        if offered.refused is not None:
            show.refuse(offered.refused)
            if read.is_clone:
                _keep(partial, enrolment)
                ask()
            continue
        show.note(f"  {offered.card} is {read.tag}")
        _keep(partial, enrolment)
        if enrolment.due is None:
            show.count("all have a tag", len(enrolment.tags))
            return
        ask()


async def enrol_spread(
    enrolment: Enrolment, device: DeviceConfig, partial: Path, show: Show, wait_s: float
) -> None:
    """All cards that are due are laid out; those that the order does not tell are lifted one by one."""
    spread = Spread(tuple(enrolment.missing))
    first, gap_s = card_name(spread.order[0]), telling_gap_s(device)
    async with TagReader(device) as reader:
        show.note(
            f"lay out {counted(len(spread.order), 'card')}, one after the other from the {first} on, each at "
            f"least {gap_s:g} s after the one before, or all at once (the order of faster ones is asked for "
            f"by lifting them); nothing new for {wait_s:g} s ends it"
        )
        await _spread_out(spread, reader, show, wait_s)
        if not spread.is_whole:  # of a whole deck nobody is a clone: two antennas hear the one card
            for tag in sorted(spread.clones):
                show.refuse(enrolment.offer(TagRead(tag, is_clone=True)).refused or "")
            heard, wanted = counted(spread.heard, "tag was", "tags were"), counted(len(spread.order), "card")
            show.refuse(f"{heard} heard for {wanted}: the order tells nothing then")
            if spread.heard and not spread.lying:
                way = _way_on(enrolment, gap_s)
                show.refuse(f"none is heard any more, so that lifting tells nothing either: {way}")
        for tag, card in spread.told().items():
            _give(enrolment, tag, card, show)
        _keep(partial, enrolment)
        for doubt in spread.doubts():
            if spread.lying.issuperset(doubt.tags):
                await _lift(enrolment, doubt, reader, partial, show, wait_s)
            else:
                cards = " and ".join(map(card_name, doubt.cards))
                show.refuse(
                    f"{cards} came less than {gap_s:g} s apart, which this reader cannot tell from at once, "
                    f"and are not heard any more: {_way_on(enrolment, gap_s)}"
                )


def _way_on(enrolment: Enrolment, gap_s: float) -> str:
    """What helps after a spread that told nothing of some cards; where none is known, none can be resumed."""
    verb, option = ("go on", " with --resume") if enrolment.tags else ("begin again", "")
    return (
        f"{verb}{option}, one by one without --spread, or lay each card at least {gap_s:g} s after the one "
        f"before"
    )


async def replace_cards(enrolment: Enrolment, cards: list[str], source: Source, show: Show) -> None:
    """A new tag for each of `cards`, whose old tags the enrolment has let go."""
    for have, card in enumerate(cards):
        show.ask(f"lay down the new {card_name(card)}", have)
        async for read in source:
            offered = enrolment.offer(replace(read, card=read.card or card))
            if offered.refused is None:
                show.note(f"  {offered.card} is {read.tag}")
                break
            show.refuse(offered.refused)


async def check_pile(check: DeckCheck, source: Source, wait_s: float | None) -> None:
    """Take tags until the source ends, all have answered, or nothing new came for `wait_s`."""
    import asyncio

    while not check.is_complete():
        try:
            async with asyncio.timeout(wait_s):
                read = await anext(source)
                while not check.take(read):
                    read = await anext(source)
        except (StopAsyncIteration, TimeoutError):
            return


async def check_alone(check: DeckCheck, device: DeviceConfig, show: Show, wait_s: float) -> None:
    """The pile first, then each card that did not answer by itself: one that is silent then is dead."""
    async with TagReader(device) as reader:
        await _until_quiet(reader, wait_s, check.take_any, check.is_complete)
        for tag, card in list(check.silent.items()):
            if tag not in check.silent:
                continue
            known = len(check.deck.tags) - len(check.silent) + len(check.dead)
            show.ask(f"take all away, then lay down the {card_name(card)} alone", known)
            await _until_quiet(reader, wait_s, check.take_any, bound(_has_answered, check, tag))
            check.tried(tag)
            if tag in check.silent:
                show.refuse(f"the {card_name(card)} is dead: it did not answer alone either")


def _has_answered(check: DeckCheck, tag: str) -> bool:
    return tag not in check.silent


async def _spread_out(spread: Spread, reader: TagReader, show: Show, wait_s: float) -> None:
    def take(read: TagRead) -> bool:
        spread.take(read)
        show.count(f"{counted(spread.heard, 'tag')} heard", spread.heard)
        return not read.is_clone

    await _until_quiet(reader, wait_s, take, lambda: spread.is_whole, rest_s=_REST_S)


async def _lift(
    enrolment: Enrolment, doubt: Doubt, reader: TagReader, partial: Path, show: Show, wait_s: float
) -> None:
    """One doubt: card after card is lifted; what is told twice keeps its first word."""
    lifting = Lifting(doubt)
    while (card := lifting.due) is not None:
        show.ask(f"lift the {card_name(card)}", len(enrolment.tags))
        known = len(lifting.found)
        await _until_lifted(lifting, reader, show, wait_s)
        if len(lifting.found) == known:
            show.refuse(f"nothing was lifted: lift the {card_name(card)} again")
            await _until_lifted(lifting, reader, show, wait_s)
        if len(lifting.found) == known:
            is_dead = lifting.put_off()
            what = "is dead" if is_dead else "comes after the others"
            show.refuse(f"the {card_name(card)} {what}: no tag went with it")
        _give_all(enrolment, lifting, show)
        _keep(partial, enrolment)
    _give_all(enrolment, lifting, show)
    for card in lifting.dead:
        show.refuse(f"the {card_name(card)} has no tag that answers")
    _keep(partial, enrolment)


async def _until_lifted(lifting: Lifting, reader: TagReader, show: Show, wait_s: float) -> None:
    """Wait until one tag went; not longer than `wait_s` from the last thing that happened."""
    known = len(lifting.found)
    until_s = time.monotonic() + wait_s
    while len(lifting.found) == known and time.monotonic() < until_s:
        read = await reader.next(_TURN_S)
        if read is None:
            continue
        while read is not None:  # until it rests
            lifting.take(read)
            read = await reader.next(_REST_S)
        fault = lifting.settle()
        if fault is not None:
            show.refuse(fault)
            until_s = time.monotonic() + wait_s


def _give_all(enrolment: Enrolment, lifting: Lifting, show: Show) -> None:
    for tag, card in lifting.found.items():
        if tag not in enrolment.tags:
            _give(enrolment, tag, card, show)


def _give(enrolment: Enrolment, tag: str, card: str, show: Show) -> None:
    offered = enrolment.offer(TagRead(tag, card))
    if offered.refused is not None:
        show.refuse(offered.refused)
    else:
        show.note(f"  {card} is {tag}")


def _keep(partial: Path, enrolment: Enrolment) -> None:
    """What has a tag by now is kept; nothing is not."""
    if enrolment.tags:
        save_register(partial, Register((enrolment.deck(),)))
    else:
        partial.unlink(missing_ok=True)


async def _until_quiet(
    reader: TagReader,
    wait_s: float,
    take: Callable[[TagRead], bool],
    is_done: Callable[[], bool],
    rest_s: float = 0.0,
) -> None:
    """Give reads to `take`, which says whether one was news, until nothing new came for `wait_s`, or all is
    done and stays so for `rest_s`."""
    until_s = time.monotonic() + wait_s
    done_s: float | None = None
    while time.monotonic() < until_s:
        read = await reader.next(_TURN_S)
        if read is not None and take(read):
            until_s, done_s = time.monotonic() + wait_s, None
        if not is_done():
            done_s = None
        elif done_s is None:
            done_s = time.monotonic()
        if done_s is not None and time.monotonic() >= done_s + rest_s:
            return
