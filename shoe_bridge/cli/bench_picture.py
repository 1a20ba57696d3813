"""The reliability diagram of `bench deal --json`: how often findings are true, by their probability.

    shoe-bridge bench deal --hands 20000 --json > figures.jsonl
    python -m shoe_bridge.cli.bench_picture figures.jsonl FILE.svg

A dot is a decile of one case of the product, of all runs in the file together (each with another `--seed`);
its area grows with the number of findings, and the bar through it is its standard error to either side. On
the line the bridge is as sure as it ought to be; the grey band is 0.02 on either side.
"""

import json
import sys
from itertools import chain
from math import log10, sqrt
from pathlib import Path
from typing import Any

from shoe_bridge.cli.counted import counted
from shoe_bridge.errors import UsageError
from shoe_bridge.sim.deal_figures import LEAST_FINDINGS
from shoe_bridge.sim.deal_score import DECILES

SIDE, MARGIN = 360, 48
BAND = 0.02
COLOURS = {"clean": "#2a9d8f", "typical": "#264653", "poor": "#e76f51"}


def picture(lines: list[dict[str, Any]]) -> str:
    """The SVG of these lines."""
    shown = _together([line for line in lines if _is_shown(line)])
    dots = [dot for line in shown for dot in _dots_of(line)]
    return "\n".join(
        [*_frame(), *dots, *_legend(dict.fromkeys(line["level"] for line in shown)), "</svg>", ""]
    )


def _is_shown(line: dict[str, Any]) -> bool:
    return bool(line["bridge"] == "product" and line["path"] == "reads")


def _together(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A line for each case: its deciles in all runs, each run with the weight of its findings."""
    cases: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in lines:
        cases.setdefault((line["sensors"], line["level"]), []).append(line)
    return [
        {**runs[0], "reliability": _mean([run["reliability"] for run in runs])} for runs in cases.values()
    ]


def _mean(runs: list[list[list[float]]]) -> list[list[float]]:
    deciles: dict[int, list[list[float]]] = {}
    for row in chain(*runs):
        deciles.setdefault(min(DECILES - 1, int(row[0] * DECILES)), []).append(row)
    rows = []
    for _, same in sorted(deciles.items()):
        count = sum(row[2] for row in same)
        given, true = (sum(row[which] * row[2] for row in same) / count for which in (0, 1))
        rows.append([given, true, count, sqrt(sum((row[3] * row[2]) ** 2 for row in same)) / count])
    return rows


def _dots_of(line: dict[str, Any]) -> list[str]:
    rows = line["reliability"]
    return [_dot(line, *row) for row in rows if row[2] >= LEAST_FINDINGS]


def _at(given: float, true: float) -> tuple[float, float]:
    return MARGIN + given * SIDE, MARGIN + (1 - true) * SIDE


def _dot(line: dict[str, Any], given: float, true: float, count: float, error: float) -> str:
    (x, y), (_, low), (_, high) = (_at(given, true + off) for off in (0, -error, error))
    what = (
        f"{line['sensors']}, {line['level']}: given {given:.3f}, true {true:.3f}, "
        f"standard error {error:.3f}, {counted(int(count), 'finding')}"
    )
    colour, radius = COLOURS[line["level"]], 1.5 + 1.5 * log10(count)
    return (
        f'<line x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}" stroke="{colour}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" fill-opacity="0.7">'
        f"<title>{what}</title></circle>"
    )


def _frame() -> list[str]:
    size = SIDE + 2 * MARGIN
    corners = [_at(0, BAND), _at(1 - BAND, 1), _at(1, 1), _at(1, 1 - BAND), _at(BAND, 0), _at(0, 0)]
    band = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    found = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" font-family="sans-serif" '
        'font-size="11">',
        f'<rect width="{size}" height="{size}" fill="white"/>',
        f'<polygon points="{band}" fill="#dddddd"/>',
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{SIDE}" height="{SIDE}" fill="none" stroke="black"/>',
        f'<line x1="{MARGIN}" y1="{MARGIN + SIDE}" x2="{MARGIN + SIDE}" y2="{MARGIN}" stroke="#888888"/>',
        f'<text x="{size / 2}" y="{size - 10}" text-anchor="middle">probability given</text>',
        f'<text transform="translate(14 {size / 2}) rotate(-90)" text-anchor="middle">share true</text>',
    ]
    for tenths in range(0, 11, 2):
        x, _ = _at(tenths / 10, 0)
        _, y = _at(0, tenths / 10)
        found.append(f'<text x="{x}" y="{MARGIN + SIDE + 14}" text-anchor="middle">{tenths / 10}</text>')
        found.append(f'<text x="{MARGIN - 5}" y="{y + 4}" text-anchor="end">{tenths / 10}</text>')
    return found


def _legend(levels: dict[str, None]) -> list[str]:
    found = []
    for index, level in enumerate(levels):
        y = MARGIN + 18 + 16 * index
        found.append(f'<circle cx="{MARGIN + 14}" cy="{y - 4}" r="5" fill="{COLOURS[level]}"/>')
        found.append(f'<text x="{MARGIN + 24}" y="{y}">{level}</text>')
    return found


def main(arguments: list[str]) -> int:
    """Draw the picture of one file into another; gives the exit code."""
    try:
        if len(arguments) != 2:
            raise UsageError("name the file of figures and the picture: bench_picture figures.jsonl FILE.svg")
        figures, file = map(Path, arguments)
        lines = _figures(figures)
        if file.exists() and file.samefile(figures):
            raise UsageError(f"{file} holds the figures: name another file for the picture")
        drawn = picture(lines)
        file.write_text(drawn)
        if "<title>" not in drawn:
            note = f"no tenth of the probabilities has {LEAST_FINDINGS} findings, so the picture has no dots"
            print(f"bench_picture: {note}: deal more hands", file=sys.stderr)
    except UsageError as error:
        print(f"bench_picture: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"bench_picture: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _figures(path: Path) -> list[dict[str, Any]]:
    """The lines of `bench deal --json` in a file. Raises UsageError where it holds anything else."""
    try:
        lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        found = [line for line in lines if line["type"] == "deal"]
    except (ValueError, KeyError, TypeError):
        found = []
    if not found:
        raise UsageError(f"{path} holds no figures: write into it what `bench deal --json` prints")
    runs = []
    for line in found:
        if not _is_whole(line):
            raise UsageError(f"{path} holds figures of another version: deal anew with `bench deal --json`")
        if _is_shown(line) and line["reliability"]:
            runs.append((line["sensors"], line["level"], line["reliability"]))
    if any(run in runs[:number] for number, run in enumerate(runs)):
        raise UsageError(f"{path} holds a run twice, which tells nothing more: deal with another --seed")
    return found


def _is_whole(line: dict[str, Any]) -> bool:
    """Has it all that is drawn?"""
    rows = line.get("reliability")
    return (
        {"sensors", "path", "bridge"} <= line.keys()
        and line.get("level") in COLOURS
        and isinstance(rows, list)
        and all(
            isinstance(row, list)
            and len(row) == 4
            and all(isinstance(number, int | float) for number in row)
            and row[2] > 0
            for row in rows
        )
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
