"""`shoe-bridge replay`: fold a journal again and tell what is concluded."""

from pathlib import Path
from typing import Annotated

import typer


def replay(
    journal: Annotated[Path, typer.Argument(help="A state folder, or one journal file of it.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of each finding what it rests on and what would change it.")
    ] = False,
) -> None:
    """Fold a journal's recorded bytes again, with no devices and no clock, and print each finding."""
    import msgspec

    from shoe_bridge.cli.counted import counted
    from shoe_bridge.cli.progress import Progress, open_journal
    from shoe_bridge.rules.book import open_book
    from shoe_bridge.rules.explain import Explainer, doubt_of
    from shoe_bridge.rules.wording import sentence
    from shoe_bridge.runtime.replay import runs_of, steps_of

    def show(line: dict[str, object], text: str) -> None:
        typer.echo(msgspec.json.encode(line).decode() if as_json else text)

    events = findings = 0
    with open_journal(journal) as reader, Progress("replay", reader) as progress:
        problems = reader.check()
        for problem in problems:
            typer.echo(f"shoe-bridge: {problem}", err=True)
        for run in runs_of(reader):
            kind = "run" if run.number else "refused"
            of = {"table": run.opened.setup.table, "boot_id": run.boot_id}
            show({"type": kind, "run": run.number, **of}, f"{run.words} of table {of['table']}")
            if not run.is_whole:
                show(
                    {"type": "gone", "run": run.number}, "  raw inputs of it are gone: it cannot be replayed"
                )
                continue
            explainer = Explainer(open_book(run.opened.profile), run.opened.setup.game)
            for core, step in steps_of(reader, run, progress.at):
                events += len(step.events)
                explainer.take(step.events)
                for change in step.changes:
                    findings += 1
                    line = {"type": "finding", **msgspec.to_builtins(change)}
                    sign = "+" if change.raised else "-"
                    doubt = doubt_of(change.certainty, change.probability)
                    said = f"{doubt}: {sentence(change.finding)}" if doubt else sentence(change.finding)
                    text = f"  hand {change.hand}, event {change.seq}: {sign} {said}"
                    if explain and change.raised:
                        told = explainer.why(
                            change.finding,
                            change.evidence,
                            core.state.hand,
                            change.certainty,
                            change.probability,
                        )
                        line["why"] = msgspec.to_builtins(told)
                        text += f"\n      {told.long}"
                    show(line, text)
                for alert in step.alerts:
                    show(
                        {"type": "alert", **msgspec.to_builtins(alert)},
                        f"  hand {alert.alert.hand}, event {alert.seq}: alert {alert.alert.number} "
                        f"{alert.what} ({alert.why})",
                    )
    show(
        {"type": "done", "events": events, "findings": findings},
        f"{counted(events, 'event')}, {counted(findings, 'change of findings', 'changes of findings')}",
    )
    if problems:
        raise typer.Exit(1)
