"""`shoe-bridge scenario`: plays scenario files at wire level and compares the findings with the files."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoe_bridge.errors import UsageError

if TYPE_CHECKING:
    from shoe_bridge.cli.scenario_run import Played


_NOT_OF_THE_FINDING = ("after", "withdrawn_after", "kind", "certainty")


def scenario(
    paths: Annotated[list[Path], typer.Argument(help="Scenario files, or folders of them.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    reader: Annotated[
        str | None,
        typer.Option("--reader", help="Such as tablelink, pepper_c1, feig_obid or pn532.", metavar="KIND"),
    ] = None,
    shoe: Annotated[
        str | None, typer.Option("--shoe", help="tablelink, angel_eye or bee_tek.", metavar="KIND")
    ] = None,
    light: Annotated[
        str | None,
        typer.Option("--light", help="A USB light to look at, such as blink1 or kuando.", metavar="KIND"),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", help="Play under this rule profile, whatever the file says.", metavar="NAME"
        ),
    ] = None,
) -> None:
    """Play scenario files as real frames and compare the findings. Exit code 1 if any does not pass."""
    import msgspec

    from shoe_bridge.cli.counted import counted
    from shoe_bridge.cli.scenario_run import play
    from shoe_bridge.sim.scenario import load_scenario
    from shoe_bridge.sim.sim_table import READERS, SHOES
    from shoe_bridge.sim.usb_light_device import HEADS

    if reader is not None and reader not in READERS:
        raise UsageError(f"{reader!r} is no reader that is simulated: use {' or '.join(READERS)}")
    if shoe is not None and shoe not in SHOES:
        raise UsageError(f"{shoe!r} is no shoe that is simulated: use {' or '.join(SHOES)}")
    if light is not None and light not in HEADS:
        raise UsageError(f"{light!r} is no light that is simulated: use {' or '.join(HEADS)}")
    scenarios = [load_scenario(file) for file in _files(paths)]
    if shoe is not None:
        scenarios = [msgspec.structs.replace(each, shoe=shoe) for each in scenarios]
    if light is not None:
        scenarios = [
            each if each.tables else msgspec.structs.replace(each, light=light) for each in scenarios
        ]
    failed, others, kinds, lacking = 0, 0, Counter[str](), Counter[str]()
    for number, each in enumerate(scenarios, start=1):
        _progress(number, len(scenarios))
        played = play(each, reader, profile)
        failed += played.has_failed
        if played.lacks_package:
            lacking[played.unplayable or ""] += 1
        elif played.played_under is None:
            kinds.update(_unsupported(played))
        others += played.played_under is not None and not played.lacks_package
        typer.echo(msgspec.json.encode(played.line).decode() if as_json else _text(played))
    if not as_json:
        if others:
            are = "is" if others == 1 else "are"
            typer.echo(f"{counted(others, 'scenario')} {are} for another profile: played, not judged")
        if others < len(scenarios):
            judged = len(scenarios) - others
            word = "scenario passes" if judged == 1 else "scenarios pass"
            typer.echo(f"{judged - failed} of {judged} {word}")
        for kind, count in sorted(kinds.items()):
            typer.echo(f"not yet supported: {kind} ({counted(count, 'scenario')})")
        for needs, count in sorted(lacking.items()):
            typer.echo(f"not played: {counted(count, 'scenario')} {_need(needs, count)}")
    raise typer.Exit(1 if failed else 0)


def _files(paths: list[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        found = sorted(path.glob("*.toml")) if path.is_dir() else [path]
        if not found:
            raise UsageError(f"{path} holds no scenario files (*.toml): name a folder that does")
        files += found
    return files


def _need(needs: str, count: int) -> str:
    return needs if count == 1 else needs.replace("needs ", "need ", 1)


def _unsupported(played: "Played") -> list[str]:
    return [*played.verdict.unsupported, *([played.unplayable] if played.unplayable else [])]


def _text(played: "Played") -> str:
    head = f"{played.scenario.id:<6} {played.scenario.title}"
    if played.lacks_package:
        return f"not played {head}\n         {played.unplayable}"
    if played.played_under is not None:
        return _findings_text(played, head)
    if played.verdict.passed:
        return f"pass   {head}"
    lines = [f"FAIL   {head}"]
    lines += [f"         not yet supported: {what}" for what in _unsupported(played)]
    lines += [f"         missing: {dict(wanted)}" for wanted in played.verdict.missing]
    lines += [f"         forbidden by {each.why}: {each.finding}" for each in played.verdict.forbidden]
    return "\n".join(lines)


def _findings_text(played: "Played", head: str) -> str:
    """What is concluded under another profile, step by step."""
    lines = [f"played under {played.played_under}: {head}"]
    lines += [f"         {played.unplayable}"] if played.unplayable else []
    for finding in played.findings:
        keys = {key: value for key, value in finding.items() if key not in _NOT_OF_THE_FINDING}
        until = finding["withdrawn_after"]
        span = f"after {finding['after']}" if until is None else f"{finding['after']} to {until}"
        told = " ".join(f"{key}={value}" for key, value in keys.items())
        lines.append(f"         {span:<10} {finding['kind']} {told}".rstrip())
    return "\n".join(lines)


def _progress(number: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\r\033[K" if number == total else "\r"
        print(f"\rscenario {number} of {total}", end=end, file=sys.stderr, flush=True)
