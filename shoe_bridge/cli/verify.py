"""`shoe-bridge verify`: does a journal prove itself, and does its replay come to the same findings?"""

from pathlib import Path
from typing import Annotated

import typer


def verify(
    journal: Annotated[Path, typer.Argument(help="A state folder, or one journal file of it.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Check a journal's chain and fold it again: the findings must come out the same. Exit code 1 if not, 2
    for what is no journal."""
    import msgspec

    from shoe_bridge.cli.counted import counted
    from shoe_bridge.cli.progress import Progress, open_journal
    from shoe_bridge.runtime.replay import verify as verify_journal

    with open_journal(journal) as reader, Progress("verify", reader) as progress:
        verdict = verify_journal(reader, progress.at)
    is_sound = not verdict.problems
    if as_json:
        line = {"type": "verdict", "sound": is_sound, **msgspec.to_builtins(verdict)}
        typer.echo(msgspec.json.encode(line).decode())
    else:
        for text in (*verdict.problems, *verdict.notes):
            typer.echo(text)
        changes = counted(verdict.findings, "change of findings", "changes of findings")
        word = "sound" if is_sound else "NOT sound"
        runs = counted(verdict.runs, "run")
        runs += f", {counted(verdict.refused, 'refused start')}" if verdict.refused else ""
        typer.echo(
            f"{journal}: {word}; {runs}, {counted(verdict.inputs, 'input')}, "
            f"{counted(verdict.events, 'event')}, {changes}"
        )
    raise typer.Exit(0 if is_sound else 1)
