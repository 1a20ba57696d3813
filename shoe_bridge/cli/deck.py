"""`shoe-bridge deck`: which tag is which card. Registers a deck card by card, checks one, lists them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoe_bridge.cli.counted import counted
from shoe_bridge.errors import ShoeBridgeError, UsageError

if TYPE_CHECKING:
    from shoe_bridge.cli.deck_enrol import Enrolment
    from shoe_bridge.cli.deck_run import Opening
    from shoe_bridge.runtime.config import DeviceConfig
    from shoe_bridge.table.deck import Register

_ONE_WAY = (
    "Say where the tags come from, in one way: --tags FILE, or --device KIND --port PORT, or --config FILE "
    "--place PLACE."
)

deck_app = typer.Typer(no_args_is_help=True, help="Decks of tags: register, check, list, proof.")

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
TypedOption = Annotated[
    str | None,
    typer.Option(
        help="How a hid_keyboard types a tag, such as decimal; with --tags: as its lines are.", metavar="RULE"
    ),
]
WaitOption = Annotated[
    float,
    typer.Option(
        "--wait-s", help="A reader that shows nothing new for so long has shown all.", metavar="S", min=0.5
    ),
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
    typed: TypedOption = None,
    spread: Annotated[
        bool, typer.Option("--spread", help="All cards laid out over the antenna instead of one by one.")
    ] = False,
    order: Annotated[
        Path | None,
        typer.Option(help="A file with the order in which the cards come.", metavar="FILE"),
    ] = None,
    replace: Annotated[
        list[str] | None,
        typer.Option("--replace", help="A new tag for this card alone; may be repeated.", metavar="CARD"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it was broken off.")] = False,
    anew: Annotated[bool, typer.Option("--anew", help="Register a known deck anew.")] = False,
    wait_s: WaitOption = 10.0,
) -> None:
    """Register a deck: lay down one card after the other, spades, hearts, diamonds, clubs, ace to king.

    With --spread all of them are laid out, one after the other or at once; cards that came together are then
    asked for one by one. A file may hold several decks: the first one is in use."""
    import asyncio

    from shoe_bridge.cli import deck_enrol as enrol
    from shoe_bridge.cli.deck_run import enrol_one_by_one, enrol_spread, with_source
    from shoe_bridge.cli.deck_show import Show
    from shoe_bridge.runtime.decks import save_register

    enrol.check_name(deck)
    if replace:
        if spread or resume or anew or order:
            raise UsageError(
                "--replace gives single cards new tags: leave out --spread, --order, --resume, --anew"
            )
        _replace(file, deck, replace, _source(device, port, config, place, tags, typed))
        return
    if spread and tags is not None:
        raise UsageError("--spread needs a reader, which hears all tags at once: leave out --tags")
    partial = enrol.partial_path(file, deck)
    others = enrol.register_beside(file, deck, anew)
    told = enrol.ORDER if order is None else enrol.order_of(order)
    enrolment = enrol.Enrolment(deck, others, enrol.resumed_tags(partial, deck, resume), told)
    before = dict(enrolment.tags)
    try:
        with Show(52) as show:
            if spread:
                reader = _reader(device, port, config, place, typed)
                enrol.check_folder(file)
                asyncio.run(enrol_spread(enrolment, reader, partial, show, wait_s))
            else:
                source = _source(device, port, config, place, tags, typed)
                enrol.check_folder(file)
                asyncio.run(
                    with_source(source, lambda reads: enrol_one_by_one(enrolment, reads, partial, show))
                )
    except KeyboardInterrupt:
        typer.echo("", err=True)
    except (ShoeBridgeError, OSError):
        if enrolment.tags != before:
            _tell_kept(enrolment, partial)
        raise
    if enrolment.missing:
        _tell_kept(enrolment, partial)
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
    typed: TypedOption = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="Then lay each silent card down alone: which tags are dead?")
    ] = False,
    wait_s: WaitOption = 10.0,
    as_json: JsonOption = False,
) -> None:
    """Read a deck and say which of its cards answered. Exit code 1 if any is missing, dead or does not
    belong."""
    import asyncio

    from shoe_bridge.cli.deck_check import DeckCheck
    from shoe_bridge.cli.deck_run import check_alone, check_pile, with_source
    from shoe_bridge.cli.deck_show import Show
    from shoe_bridge.runtime.decks import load_register

    named = {"--device": device, "--port": port, "--config": config, "--place": place, "--typed": typed}
    reader = [str(part) for option in named.items() if option[1] is not None for part in option]
    check = DeckCheck(load_register(file), deck, str(file), tuple(reader))
    if alone and (tags is not None or as_json):
        raise UsageError("--alone asks a person at a reader: leave out --tags and --json")
    try:
        if alone:
            with Show(len(check.deck.tags)) as show:
                asyncio.run(check_alone(check, _reader(device, port, config, place, typed), show, wait_s))
        else:
            source = _source(device, port, config, place, tags, typed)
            quiet_s = None if tags is not None else wait_s
            asyncio.run(with_source(source, lambda reads: check_pile(check, reads, quiet_s)))
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
    Exit code 1 unless it is proven, 2 for what is no journal."""
    from shoe_bridge.cli.deck_proof import DeckReport
    from shoe_bridge.cli.progress import Progress, open_journal

    with open_journal(journal) as reader, Progress("proof", reader) as progress:
        report = DeckReport(reader, progress.at)
    _say(report.line(), as_json, report.text())
    raise typer.Exit(0 if report.proof.is_proven else 1)


def _source(
    device: str | None,
    port: str | None,
    config: Path | None,
    place: str | None,
    tags: Path | None,
    typed: str | None,
) -> "Opening":
    """The one source that the options name. UsageError for none, for two, and for half of one."""
    from shoe_bridge.cli import deck_tags

    if tags is None:
        return deck_tags.opened(_reader(device, port, config, place, typed))
    if any(one is not None for one in (device, port, config, place)):
        raise UsageError(_ONE_WAY)
    rule = None if typed is None else deck_tags.rule_of(typed)
    return deck_tags.read_from(deck_tags.lines_of(tags), rule)


def _reader(
    device: str | None, port: str | None, config: Path | None, place: str | None, typed: str | None
) -> "DeviceConfig":
    """The one reader that the options name. UsageError for none, for two, and for half of one."""
    from shoe_bridge.cli import deck_tags

    is_named, is_configured = device is not None or port is not None, config is not None or place is not None
    if is_named is is_configured:
        raise UsageError(_ONE_WAY)
    if device is not None and port is not None:
        return deck_tags.any_antenna(device, port, typed)
    if typed is not None:
        raise UsageError(
            "--typed goes with --device hid_keyboard or --tags: a configuration has its own `typed`"
        )
    if config is not None and place is not None:
        return deck_tags.antenna_of(config, place)
    raise UsageError("Half of a reader is named: --device goes with --port, and --config with --place.")


def _replace(file: Path, name: str, cards: list[str], source: "Opening") -> None:
    """New tags for single cards; the register is only changed when all of them have one."""
    import asyncio

    from shoe_bridge.cli.deck_enrol import check_folder, with_deck, without_cards
    from shoe_bridge.cli.deck_run import replace_cards, with_source
    from shoe_bridge.cli.deck_show import Show
    from shoe_bridge.runtime.decks import save_register

    cards = list(dict.fromkeys(cards))
    enrolment = without_cards(file, name, cards)
    check_folder(file)
    before = len(enrolment.tags)
    try:
        with Show(len(cards)) as show:
            asyncio.run(with_source(source, lambda reads: replace_cards(enrolment, cards, reads, show)))
    except KeyboardInterrupt:
        typer.echo("", err=True)
    if len(enrolment.tags) < before + len(cards):
        typer.echo(f"deck {name} is as it was: not every card was given a tag.", err=True)
        raise typer.Exit(1)
    save_register(file, with_deck(file, enrolment.deck()))
    typer.echo(f"deck {name}: {' '.join(cards)} replaced in {file}")


def _tell_kept(enrolment: "Enrolment", partial: Path) -> None:
    have = len(enrolment.tags)
    them, has = ("it is", "cards has") if have == 1 else ("they are", "cards have")
    is_kept = have and partial.exists()
    kept = f"{them} kept in {partial}, go on with --resume" if is_kept else "nothing is kept"
    typer.echo(f"deck {enrolment.name} is not whole: {have} of 52 {has} a tag; {kept}.", err=True)


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
    parts = [f"deck {line['deck']}: {counted(line['tags'], 'tag')}", "in use" if line["in_use"] else ""]
    parts += [f"missing {' '.join(line['missing'])}" if line["missing"] else "all 52 cards"]
    parts += [f"with more than one tag {' '.join(line['doubled'])}" if line["doubled"] else ""]
    return ", ".join(part for part in parts if part)


def _say(line: dict[str, Any], as_json: bool, text: str) -> None:
    import msgspec

    typer.echo(msgspec.json.encode(line).decode() if as_json else text)
    sys.stdout.flush()
