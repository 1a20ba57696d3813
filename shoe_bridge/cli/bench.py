"""`shoe-bridge bench deal`: true deals with known errors, read at named levels of noise; how well the bridge
does.

What the figures mean is said in `sim/deal_score.py`, what is dealt in `sim/deal_truth.py`, and what counts as
an error that the sensors can distinguish in `sim/deal_reference.py`.
"""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoe_bridge.cli.compiled import build_name
from shoe_bridge.cli.counted import counted
from shoe_bridge.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from shoe_bridge.cli.bench_run import Played
    from shoe_bridge.cli.bench_table import Case

bench_app = typer.Typer(no_args_is_help=True, help="Benchmarks with truth labels: deal.")

LEVELS = ("clean", "typical", "poor")
READERS = ("tablelink", "pepper_c1", "shoe")
HANDS, BYTE_HANDS = 10, 1
WIDTH = 130
# Columns, and what they show: errors that can be told at all, and of these the ones that ...
SHARES = {
    "told": "counts",
    "found": "found",
    "kind": "right",
    "moves": "moves",
    "lit": "lit",
    "in time": "in_time",
}
TIMES = {"p50 us": "p50_us", "p99 us": "p99_us", "p99 err": "p99_erring_us"}
# What each column of the figures means, in the words of `sim/deal_score.py`.
LEGEND = {
    "clean": "hands without a slip",
    "false": "alerts about the deal that lit the light in clean hands",
    "erring": "hands with one slip",
    "told": "% of these whose slip can be told at all, given all reads to the end of the deal",
    "found": "% of those told that stand as probable or certain at the end of the deal",
    "kind": "% of those told that stand then with a perfect observer's kind, place and seat",
    "moves": "% of deals that can be put right whose moves stand, and are those of the perfect observer",
    "lit": "% of those told that lit the light from the slip on, by the end of the deal",
    "in time": "% lit within one card of when all reads make the slip certain (looked at in one hand of ten)",
    "off by": "calibration: the most that a tenth of the probabilities is off the share true, "
    "± standard error",
    "p50 us": "microseconds that half of the events in clean hands cost at most",
    "p99 us": "microseconds that 99 of 100 events in clean hands cost at most",
    "p99 err": "the same in hands with a slip",
}
Line = dict[str, Any]


@bench_app.callback()
def _root() -> None:
    """Without this the only verb would take the group's place."""


@bench_app.command("deal")
def deal(
    hands: Annotated[
        int, typer.Option(min=1, help="Clean hands, and as many with one slip, for each case.", metavar="N")
    ] = HANDS,
    level: Annotated[
        str | None, typer.Option(help="clean, typical or poor; left out: all.", metavar="LEVEL")
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(help="tablelink, pepper_c1, or shoe (with antennas); left out: all.", metavar="READER"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed deals and reads the same.", metavar="N")] = 1,
    jobs: Annotated[
        int, typer.Option(min=1, help="Processes; the figures are the same for any number.", metavar="N")
    ] = 1,
    byte_hands: Annotated[
        int,
        typer.Option(
            "--bytes", min=0, help="How many more of each start at the devices' bytes.", metavar="N"
        ),
    ] = BYTE_HANDS,
    growth: Annotated[
        int,
        typer.Option(min=0, help="Hands at one table, for cost and memory first and last.", metavar="HANDS"),
    ] = 0,
    with_misses: Annotated[
        bool, typer.Option("--misses", help="Also each hand with which the bridge went wrong, as JSON.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Deal hands at ten seats, clean ones and ones with a slip, and score what the bridge says of them.

    The baseline is the bridge without a model of the deal: it takes the first read of each card for the
    truth.
    """
    import msgspec

    from shoe_bridge.cli.bench_bytes import play_bytes
    from shoe_bridge.cli.bench_run import chunks, play, run

    cases = _cases(level, reader)
    lines: list[Line] = []
    for index, case in enumerate(cases, start=1):
        for path, play_one, count in (("reads", play, hands), ("bytes", play_bytes, byte_hands)):
            if not count:
                continue
            work = chunks(case, seed, count)
            progress = _Progress(f"case {index} of {len(cases)}, from the {path}", len(work))
            played = run(work, play_one, jobs, progress.at)
            new = _lines(case, path, played)
            lines += new
            told: list[Any] = [*(new if as_json else ()), *(played.misses if with_misses else ())]
            for line in told:
                typer.echo(msgspec.json.encode(line).decode())
    grown = [_growth(case, seed, growth) for case in cases if growth]
    if not as_json:
        _draw(lines, grown)
    for line in grown if as_json else ():
        typer.echo(msgspec.json.encode(line).decode())


def _cases(level: str | None, reader: str | None) -> "list[Case]":
    from shoe_bridge.cli.bench_table import Case

    for name, value, allowed in (("level", level, LEVELS), ("reader", reader, READERS)):
        if value is not None and value not in allowed:
            raise UsageError(f"{value!r} is no {name} of the benchmark: use one of {', '.join(allowed)}")
    return [
        Case("tablelink" if each == "shoe" else each, noise, each == "shoe")  # type: ignore[arg-type]
        for noise in ([level] if level else LEVELS)
        for each in ([reader] if reader else READERS)
    ]


def _lines(case: "Case", path: str, played: "Played") -> list[Line]:
    from shoe_bridge.cli.bench_run import chances_of
    from shoe_bridge.cli.bench_table import model_for
    from shoe_bridge.sim.deal_figures import figures

    chances = chances_of(model_for(case))
    head = {"type": "deal", "path": path, **_head(case)}
    return [
        {**head, "bridge": bridge, **figures(tally, chances)}
        for bridge, tally in (("product", played.product), ("baseline", played.baseline))
    ]


def _growth(case: "Case", seed: int, hands: int) -> Line:
    import msgspec

    from shoe_bridge.cli.bench_growth import grow

    first, last = (msgspec.to_builtins(tenth) for tenth in grow(case, seed, hands))
    return {"type": "growth", **_head(case), "hands": hands, "first": first, "last": last}


def _head(case: "Case") -> Line:
    return {"sensors": case.sensors, "level": case.level, "build": build_name()}


class _Progress:
    """How many of the chunks of a case are done: on stderr, where somebody looks at it."""

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total

    def at(self, done: int) -> None:
        if sys.stderr.isatty():
            end = "\r\033[K" if done == self._total else ""
            text = f"\r\033[K{self._what}: {100 * done // self._total} %{end}"
            print(text, end="", file=sys.stderr, flush=True)


# -- the tables


def _draw(lines: list[Line], grown: list[Line]) -> None:
    from io import StringIO

    from rich.console import Console

    drawn = StringIO()
    console = Console(file=drawn, width=WIDTH, highlight=False)
    console.print(_summary(lines))
    for column, meaning in LEGEND.items():
        console.print(f"{column:>9}  {meaning}")
    if len({(line["sensors"], line["level"]) for line in lines}) == 1:
        for line in lines:
            if line["path"] == "reads":
                console.print(_by_slip(line))
    if grown:
        console.print(_growths(grown))
    for text in drawn.getvalue().splitlines():
        typer.echo(text.rstrip())


def _summary(lines: list[Line]) -> "Table":
    """A row for each case, path and bridge; shares in percent."""
    table = _table(
        f"Hold'em at ten seats; shares in %; {build_name()}",
        ("sensors", "noise", "from", "bridge"),
        ("clean", "false", "erring", *SHARES, "off by", *TIMES),
    )
    for line in lines:
        table.add_row(
            *(line[name] for name in ("sensors", "level", "path", "bridge")),
            *(str(line[name]) for name in ("clean_hands", "false_alerts", "erring_hands")),
            *_shares(line),
            _off_by(line),
            *(_number(line[name], 0) for name in TIMES.values()),
        )
    return table


def _by_slip(line: Line) -> "Table":
    title = f"{line['sensors']}, {line['level']}, {line['bridge']}: by slip"
    table = _table(title, ("slip",), ("erring", *SHARES))
    for slip, of in line["by_slip"].items():
        table.add_row(slip, str(of["erring_hands"]), *_shares(of))
    return table


def _growths(grown: list[Line]) -> "Table":
    title = f"{counted(grown[0]['hands'], 'hand')} at one table: the first tenth of them and the last"
    figures = ("p50 us", "p99 us", "state B", "peak KiB")
    numbers = tuple(f"{which}\n{figure}" for figure in figures for which in ("first", "last"))
    table = _table(title, ("sensors", "noise"), numbers)
    for line in grown:
        pairs = ((line["first"][name], line["last"][name]) for name in line["first"])
        table.add_row(line["sensors"], line["level"], *(_number(each, 0) for pair in pairs for each in pair))
    return table


def _table(title: str, words: tuple[str, ...], numbers: tuple[str, ...]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 0))
    for word in words:
        table.add_column(word, no_wrap=True)
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    return table


def _shares(line: Line) -> list[str]:
    shares = (line[name] for name in SHARES.values())
    return ["" if share is None else f"{100 * share:.1f}" for share in shares]


def _off_by(line: Line) -> str:
    off, error = _number(line["worst_decile"], 3), _number(line["worst_decile_error"], 3)
    return f"{off}±{error.removeprefix('0')}" if off else ""


def _number(number: float | None, digits: int) -> str:
    return "" if number is None else f"{number:.{digits}f}"
