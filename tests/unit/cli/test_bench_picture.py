"""The reliability diagram: a dot for each decile that enough findings fell into, where it belongs."""

import json
from math import sqrt
from xml.etree import ElementTree

import pytest

from shoe_bridge.cli.bench_picture import MARGIN, SIDE, main, picture

LINE = {
    "type": "deal",
    "sensors": "tablelink",
    "level": "typical",
    "path": "reads",
    "bridge": "product",
    "reliability": [[0.25, 0.5, 100, 0.02], [0.5, 0.1, 3, 0.2], [0.95, 0.9, 1_000, 0.01]],
}


def dots(svg: str) -> list[tuple[float, float]]:
    root = ElementTree.fromstring(svg)
    circles = [each for each in root if each.tag.endswith("circle") and len(each)]
    return [(float(each.get("cx")), float(each.get("cy"))) for each in circles]


def test_a_dot_stands_at_its_probability_and_frequency():
    assert dots(picture([LINE])) == [
        (MARGIN + 0.25 * SIDE, MARGIN + 0.5 * SIDE),
        (pytest.approx(MARGIN + 0.95 * SIDE), pytest.approx(MARGIN + 0.1 * SIDE)),
    ]


def test_only_the_product_from_the_reads_is_drawn():
    assert dots(picture([{**LINE, "bridge": "baseline"}, {**LINE, "path": "bytes"}])) == []


def test_a_file_of_figures_becomes_a_picture(tmp_path):
    figures, svg = tmp_path / "figures.jsonl", tmp_path / "out.svg"
    figures.write_text(json.dumps(LINE) + "\n" + json.dumps({"type": "growth"}) + "\n")
    assert main([str(figures), str(svg)]) == 0
    assert len(dots(svg.read_text())) == 2
    assert "typical" in svg.read_text()


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (None, "No such file"),
        ("plain words\n", "holds no figures"),
        ("[1]\n", "holds no figures"),
        ("", "holds no figures"),
        ('{"type": "growth", "hands": 10}\n', "holds no figures"),
        (json.dumps({**LINE, "reliability": [[0.5, 0.5, 100]]}), "figures of another version"),
        (json.dumps({**LINE, "reliability": [[0.5, 0.5, 0, 0.1]]}), "figures of another version"),
        (json.dumps({**LINE, "reliability": [[0.5, 0.5, 10, None]]}), "figures of another version"),
        (json.dumps({**LINE, "reliability": None}), "figures of another version"),
        (json.dumps({**LINE, "level": "foggy"}), "figures of another version"),
        (json.dumps({name: LINE[name] for name in LINE if name != "bridge"}), "figures of another version"),
        (json.dumps(LINE) + "\n" + json.dumps(LINE), "holds a run twice"),
    ],
)
def test_a_file_without_figures_is_refused_in_one_sentence(tmp_path, capsys, held, told):
    figures, svg = tmp_path / "figures.jsonl", tmp_path / "out.svg"
    if held is not None:
        figures.write_text(held)
    assert main([str(figures), str(svg)]) == 2
    assert told in capsys.readouterr().err
    assert not svg.exists()
    assert main([]) == 2
    assert "name the file of figures and the picture" in capsys.readouterr().err


def test_a_picture_without_a_dot_says_why(tmp_path, capsys):
    file = tmp_path / "figures.jsonl"
    file.write_text(json.dumps({**LINE, "reliability": [[0.5, 0.5, 3, 0.2]]}) + "\n")
    assert main([str(file), str(tmp_path / "picture.svg")]) == 0
    assert "no tenth of the probabilities has 50 findings" in capsys.readouterr().err


def test_the_figures_are_not_drawn_over(tmp_path, capsys):
    figures = tmp_path / "figures.jsonl"
    figures.write_text(json.dumps(LINE) + "\n\n")
    assert main([str(figures), str(figures)]) == 2
    assert "name another file" in capsys.readouterr().err
    assert json.loads(figures.read_text()) == LINE


def test_findings_of_several_runs_that_make_a_dot_together_are_no_picture_without_dots(tmp_path, capsys):
    runs = [{**LINE, "reliability": [[0.5, 0.5, 30, 0.1 * (n + 1)]]} for n in range(2)]
    figures, svg = tmp_path / "figures.jsonl", tmp_path / "out.svg"
    figures.write_text("".join(json.dumps(run) + "\n" for run in runs))
    assert main([str(figures), str(svg)]) == 0
    assert len(dots(svg.read_text())) == 1
    assert capsys.readouterr().err == ""


def test_a_bar_shows_the_standard_error():
    root = ElementTree.fromstring(picture([LINE]))
    bars = [each for each in root if each.tag.endswith("line") and each.get("x1") == each.get("x2")]
    assert [(float(each.get("y1")), float(each.get("y2"))) for each in bars] == [
        (pytest.approx(MARGIN + 0.52 * SIDE, abs=0.1), pytest.approx(MARGIN + 0.48 * SIDE, abs=0.1)),
        (pytest.approx(MARGIN + 0.11 * SIDE, abs=0.1), pytest.approx(MARGIN + 0.09 * SIDE, abs=0.1)),
    ]


def test_runs_of_one_case_are_taken_together() -> None:
    """Decile by decile: a run need not have findings in each."""
    other = {**LINE, "reliability": [[0.29, 0.6, 300, 0.02], [0.5, 0.3, 97, 0.1], [0.7, 0.6, 200, 0.05]]}
    together = [
        [0.28, 0.575, 400, sqrt((0.02 * 100) ** 2 + (0.02 * 300) ** 2) / 400],
        [0.5, 0.294, 100, sqrt((0.2 * 3) ** 2 + (0.1 * 97) ** 2) / 100],
        [0.7, 0.6, 200, 0.05],
        [0.95, 0.9, 1_000, 0.01],
    ]
    assert picture([LINE, other]) == picture([{**LINE, "reliability": together}])
    assert len(dots(picture([LINE, {**other, "level": "poor"}]))) == 5
