"""`shoe-bridge calibrate`: touch each antenna, key and light once; proves the map and writes it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from shoe_bridge.cli.calibrate_map import MapProof


def calibrate(
    config: Annotated[Path, typer.Option("--config", help="The table's TOML file.", metavar="FILE")],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="antennas, keys or lights; may be repeated.", metavar="PART"),
    ] = None,
    wait_s: Annotated[
        float, typer.Option("--wait-s", help="How long a touch is waited for.", metavar="S", min=0.5)
    ] = 60.0,
    check: Annotated[
        bool, typer.Option("--check", help="Only say what is wired otherwise, write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Go round the table: lay a card on each place, press each key, look at each light. Where something is
    wired otherwise than configured, the configuration is corrected. Exit code 1 if anything is unproven."""
    import asyncio

    from shoe_bridge.cli.calibrate_map import PARTS, MapProof
    from shoe_bridge.cli.calibrate_run import Calibration
    from shoe_bridge.errors import UsageError
    from shoe_bridge.runtime.config import parse
    from shoe_bridge.toml_file import read_text

    parts = tuple(only or PARTS)
    for part in parts:
        if part not in PARTS:
            raise UsageError(f"--only {part!r} is no part of a table: use {', '.join(PARTS)}")
    text = read_text(config, "configuration", "give the path of a table's TOML file with --config")
    proof = MapProof(parse(text, config), parts)
    if not proof.questions:
        raise UsageError(f"{config} has no {' and no '.join(parts)}: there is nothing to prove")

    def tell(line: dict[str, Any]) -> None:
        _say(line, as_json)

    console = sys.stderr.buffer if as_json else None  # the standard output is the JSON's alone
    asyncio.run(Calibration(proof, tell, wait_s, console).run())
    raise typer.Exit(_conclude(proof, text, config, check, tell))


def _conclude(proof: "MapProof", text: str, path: Path, is_check: bool, tell: Any) -> int:
    """Write what was proven, or say why not; the exit code."""
    unproven = [question.name for question in proof.unproven]
    changed = [f"{question.name}: {spot.words(question.what)}" for question, spot in proof.changes]
    result = {"type": "result", "proven": len(proof.found), "of": len(proof.questions)}
    result |= {"unproven": unproven, "changed": changed, "written": None}
    if unproven:
        words = f"{len(proof.found)} of {len(proof.questions)} proven, nothing is written; not proven: "
        tell({**result, "text": words + ", ".join(unproven)})
        return 1
    if not changed:
        tell({**result, "text": f"the map is proven: all {len(proof.found)} are as configured"})
        return 0
    if is_check:
        words = "all are proven, and wired otherwise than configured: "
        tell({**result, "text": words + "; ".join(changed)})
        return 1
    written, words = _write(proof, text, path)
    tell({**result, "written": str(written), "text": words})
    return 0


def _write(proof: "MapProof", text: str, path: Path) -> tuple[Path, str]:
    """Put the proven map into the file, the old one kept beside; a file that cannot be changed in place is
    left as it is, with a whole new one beside it."""
    from shoe_bridge.cli.calibrate_file import with_maps, written_anew
    from shoe_bridge.cli.whole_file import replace_file
    from shoe_bridge.errors import ConfigError, UsageError
    from shoe_bridge.runtime.config import parse
    from shoe_bridge.toml_file import read_text

    if read_text(path, "configuration", "put it back") != text:
        raise UsageError(
            f"{path} was changed by somebody else meanwhile: nothing is written, calibrate again"
        )
    wanted = proof.corrected()
    new = with_maps(text, path, wanted)
    if new is not None:
        kept = path.with_name(path.name + ".old")
        replace_file(kept, text)
        replace_file(path, new)
        return path, f"the map is proven and written to {path}; the file as it was is {kept}"
    beside = path.with_name(path.stem + ".calibrated.toml")
    anew = written_anew(text, wanted)
    try:
        parse(anew, beside)
    except ConfigError as error:
        raise UsageError(
            f"no bridge runs with the map as it was touched, so nothing is written, calibrate again: {error}"
        ) from None
    replace_file(beside, anew)
    return beside, (
        f"the map is proven; {path} is written in a way that cannot be corrected in place, so {beside} is "
        "the corrected one, without its comments: put it in its place"
    )


def _say(line: dict[str, Any], as_json: bool) -> None:
    import msgspec

    if as_json:
        typer.echo(msgspec.json.encode(line).decode())
    else:
        head = f"[{line['number']} of {line['of']}] " if line["type"] == "ask" else "  "
        typer.echo(f"{'' if line['type'] in ('result', 'clear') else head}{line['text']}")
    sys.stdout.flush()
