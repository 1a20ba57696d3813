"""`shoe-bridge deck`: which tag is which card. Registers a deck card by card, checks one, lists them."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoe_bridge.errors import UsageError

if TYPE_CHECKING:
    from shoe_bridge.cli.deck_enrol import Enrolment
    from shoe_bridge.cli.deck_tags import TagRead
    from shoe_bridge.table.deck import Register

deck_app = typer.Typer(no_args_is_help=True, help="Decks of tags: register, check, list.")

FileOption = Annotated[Path, typer.Option("--file", help="The deck register, a TOML file.", metavar="FILE")]
DeviceOption = Annotated[
    str | None, typer.Option(help="Kind of the reader, such as pepper_c1 or feig_obid.", metavar="KIND")
]
PortOption = Annotated[str | None, typer.Option(help="The reader's port.", metavar="PORT")]
ConfigOption = Annotated[Path | None, typer.Option(help="A table whose reader is used.", metavar="FILE")]
PlaceOption = Annotated[
    str | None, typer.Option(help="The place that the cards are laid at.", metavar="PLACE")
]
TagsOption = Annotated[
    Path | None,
    typer.Option(help="A file with one tag in hex per line, or - for the keyboard.", metavar="FILE"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object per line.")]


@deck_app.command("register")
def register_deck(
    file: FileOption,
    deck: Annotated[str, typer.Option(help="The deck's name, such as blue.", metavar="NAME")],
    device: DeviceOption = None,
    port: PortOption = None,
    config: ConfigOption = None,
    place: PlaceOption = None,
    tags: TagsOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it was broken off.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Register a known deck anew.")] = False,
) -> None:
    """Register a deck: lay down one card after the other, spades, hearts, diamonds, clubs, ace to king."""
    import asyncio

    from shoe_bridge.cli import deck_enrol as enrol
    from shoe_bridge.runtime.decks import save_register

    enrol.check_name(deck)
    partial = enrol.partial_path(file, deck)
    others = enrol.register_beside(file, deck, replace)
    enrolment = enrol.Enrolment(deck, others, enrol.resumed_tags(partial, deck, resume))
    source = _source(device, port, config, place, tags)
    try:
        asyncio.run(_enrol(enrolment, source, partial))
    except KeyboardInterrupt:
        typer.echo("", err=True)
    finally:
        if enrolment.missing:
            _tell_kept(enrolment, partial)
    if enrolment.missing:
        raise typer.Exit(1)
    save_register(file, enrol.with_deck(file, enrolment.deck()))
    partial.unlink(missing_ok=True)
    typer.echo(f"deck {deck}: 52 cards are registered in {file}")


@deck_app.command("check")
def check_deck(
    file: FileOption,
    deck: Annotated[
        str | None, typer.Option(help="The deck's name; left out: the first one.", metavar="NAME")
    ] = None,
    device: DeviceOption = None,
    port: PortOption = None,
    config: ConfigOption = None,
    place: PlaceOption = None,
    tags: TagsOption = None,
    wait_s: Annotated[
        float,
        typer.Option(help="A reader that shows nothing new for so long has shown all.", metavar="S", min=0.5),
    ] = 10.0,
    as_json: JsonOption = False,
) -> None:
    """Read a deck and say which of its cards answered. Exit code 1 if any is missing or does not belong."""
    import asyncio

    from shoe_bridge.cli.deck_check import DeckCheck
    from shoe_bridge.runtime.decks import load_register

    check = DeckCheck(load_register(file), deck, str(file))
    source = _source(device, port, config, place, tags)
    try:
        asyncio.run(_read_all(check.take, source, None if tags is not None else wait_s, check.is_complete))
    except KeyboardInterrupt:
        typer.echo("", err=True)
    _say(check.line(), as_json, check.text())
    raise typer.Exit(0 if check.is_sound else 1)


@deck_app.command("list")
def list_decks(file: FileOption, as_json: JsonOption = False) -> None:
    """The decks of a register, and what is wrong with them. Exit code 1 if a deck is not whole."""
    from shoe_bridge.runtime.decks import load_register

    register = load_register(file)
    lines = list(_deck_lines(register))
    for line in lines:
        _say(line, as_json, _deck_text(line))
    if not lines:
        _say({"type": "empty"}, as_json, f"{file} holds no deck")
    raise typer.Exit(1 if any(line["missing"] for line in lines) else 0)


@deck_app.command("proof")
def deck_proof(
    journal: Annotated[Path, typer.Argument(help="A table's state folder.")],
    as_json: JsonOption = False,
) -> None:
    """When a table's deck was last proven whole, which hands were dealt since, where each card was seen last.
    Exit code 1 unless it is proven."""
    from shoe_bridge.cli.deck_proof import DeckReport
    from shoe_bridge.cli.progress import Progress
    from shoe_bridge.journal import JournalReader

    with JournalReader(journal) as reader, Progress("proof", reader) as progress:
        report = DeckReport(reader, progress.at)
    _say(report.line(), as_json, report.text())
    raise typer.Exit(0 if report.proof.is_proven else 1)


def _source(
    device: str | None, port: str | None, config: Path | None, place: str | None, tags: Path | None
) -> "AsyncIterator[TagRead]":
    """The one source that the options name. UsageError for none, for two, and for half of one."""
    from shoe_bridge.cli import deck_tags

    ways = [tags is not None, device is not None or port is not None, config is not None or place is not None]
    if sum(ways) != 1:
        raise UsageError(
            "Say where the tags come from, in one way: --tags FILE, or --device KIND --port PORT, or "
            "--config FILE --place PLACE."
        )
    if tags is not None:
        return deck_tags.from_lines(deck_tags.lines_of(tags))
    if device is not None and port is not None:
        return deck_tags.from_reader(deck_tags.any_antenna(device, port))
    if config is not None and place is not None:
        return deck_tags.from_reader(deck_tags.antenna_of(config, place))
    raise UsageError("Half of a reader is named: --device goes with --port, and --config with --place.")


async def _enrol(enrolment: "Enrolment", source: "AsyncIterator[TagRead]", partial: Path) -> None:
    from shoe_bridge.cli.deck_enrol import card_name
    from shoe_bridge.runtime.decks import save_register
    from shoe_bridge.table.deck import Register

    def ask() -> None:
        if enrolment.due is not None:
            typer.echo(f"lay down the {card_name(enrolment.due)} ({len(enrolment.tags) + 1} of 52)")

    ask()
    async for read in source:
        offered = enrolment.offer(read)
        if offered.refused is not None:
            typer.echo(offered.refused, err=True)
            if read.is_clone:
                save_register(partial, Register((enrolment.deck(),)))
                ask()
            continue
        typer.echo(f"  {offered.card} is {read.tag}")
        save_register(partial, Register((enrolment.deck(),)))
        if enrolment.due is None:
            return
        ask()


async def _read_all(
    take: Any, source: "AsyncIterator[TagRead]", wait_s: float | None, is_complete: Any
) -> None:
    """Take tags until the source ends, all have answered, or nothing new came for `wait_s`."""
    import asyncio

    while not is_complete():
        try:
            async with asyncio.timeout(wait_s):
                read = await anext(source)
                while not take(read):
                    read = await anext(source)
        except (StopAsyncIteration, TimeoutError):
            return


def _tell_kept(enrolment: "Enrolment", partial: Path) -> None:
    have = len(enrolment.tags)
    kept = f"they are kept in {partial}, go on with --resume" if partial.exists() else "nothing is kept"
    typer.echo(f"deck {enrolment.name} is not whole: {have} of 52 cards have a tag; {kept}.", err=True)


def _deck_lines(register: "Register") -> list[dict[str, Any]]:
    from shoe_bridge.runtime.decks import missing_cards

    return [
        {
            "type": "deck",
            "deck": deck.id,
            "in_use": at == 0,
            "tags": len(deck.tags),
            "missing": missing_cards(deck),
            "doubled": sorted(
                {card for card in deck.tags.values() if list(deck.tags.values()).count(card) > 1}
            ),
        }
        for at, deck in enumerate(register.decks)
    ]


def _deck_text(line: dict[str, Any]) -> str:
    parts = [f"deck {line['deck']}: {line['tags']} tags", "in use" if line["in_use"] else ""]
    parts += [f"missing {' '.join(line['missing'])}" if line["missing"] else "all 52 cards"]
    parts += [f"with more than one tag {' '.join(line['doubled'])}" if line["doubled"] else ""]
    return ", ".join(part for part in parts if part)


def _say(line: dict[str, Any], as_json: bool, text: str) -> None:
    import msgspec

    typer.echo(msgspec.json.encode(line).decode() if as_json else text)
    sys.stdout.flush()
