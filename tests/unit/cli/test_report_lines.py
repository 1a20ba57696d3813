"""Lines for people and programs never hold up whoever reports them."""

import contextlib
import io
import os

import msgspec
import pytest

from shoe_bridge.cli.report_lines import ReportPrinter, text_of
from shoe_bridge.rules.wording import sentence
from shoe_bridge.table.findings import Equipment, LookAt


def test_a_pipe_that_nobody_reads_holds_nobody_up() -> None:
    read, write = os.pipe()
    out = os.fdopen(write, "w", encoding="utf-8")
    try:
        printer = ReportPrinter(out, as_json=True)
        for number in range(5_000):  # far more than a pipe takes
            printer({"type": "event", "seq": number, "padding": "x" * 200})
        printer.close(0.05)
        first = os.read(read, 200)
        assert first.startswith(b'{"type":"event","seq":0')
        os.close(read)  # the reader goes away: the thread ends by itself
        printer._thread.join(5)
        assert not printer._thread.is_alive()
    finally:
        with contextlib.suppress(BrokenPipeError):
            out.close()


def test_lines_that_wait_too_long_are_counted() -> None:
    out = io.StringIO()
    printer = ReportPrinter(out, as_json=True)
    with printer._turn:  # the thread cannot take any now
        for number in range(10_050):
            printer({"type": "event", "seq": number})
    printer.close(5)
    lines = [msgspec.json.decode(line) for line in out.getvalue().splitlines()]
    assert {"type": "lost_lines", "count": 50} in lines
    assert lines[-1] == {"type": "event", "seq": 10_049}


def test_a_word_after_the_end_is_still_said() -> None:
    out = io.StringIO()
    printer = ReportPrinter(out, as_json=True)
    printer.close(5)
    printer({"type": "done"})
    assert out.getvalue() == '{"type":"done"}\n'


def test_people_read_what_happened_in_which_hand() -> None:
    finding = {
        "type": "finding",
        "kind": "order_error",
        "hand": 4,
        "raised": True,
        "sentence": "Card 1 went astray.",
    }
    assert text_of(finding | {"says": "in order"}) == "hand 4: Card 1 went astray. Rule: in order."
    assert text_of(finding | {"raised": False}) == "hand 4: no longer so: Card 1 went astray."
    assert text_of(finding | {"kind": "deal_ok"}) is None


@pytest.mark.parametrize(
    ("certainty", "probability", "text"),
    [
        ("certain", None, "hand 4: Card 1 went astray."),
        ("certain", 0.9985, "hand 4: Card 1 went astray."),
        ("probable", 0.8249, "hand 4: probably (82 %): Card 1 went astray."),
        ("probable", 0.9979, "hand 4: probably (99 %): Card 1 went astray."),
        ("possible", 0.051, "hand 4: possibly (5 %): Card 1 went astray."),
        ("probable", None, "hand 4: probably: Card 1 went astray."),
    ],
)
def test_what_is_not_certain_says_so(certainty: str, probability: float | None, text: str) -> None:
    report = {
        "type": "finding",
        "kind": "order_error",
        "hand": 4,
        "raised": True,
        "sentence": "Card 1 went astray.",
        "certainty": certainty,
        "probability": probability,
    }
    assert text_of(report) == text
    assert text_of(report | {"says": "in order"}) == f"{text} Rule: in order."


def test_a_doubt_that_ends_is_not_told_as_if_all_were_well() -> None:
    """It is withdrawn also when it becomes certain, which the next line says."""
    report = {"type": "finding", "kind": "order_error", "hand": 4, "raised": False, "sentence": "Card 1."}
    assert text_of(report | {"certainty": "probable"}) == "hand 4: no longer probable: Card 1."
    assert text_of(report | {"certainty": "certain"}) == "hand 4: no longer so: Card 1."


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (LookAt("seat 4"), "lift the cards at seat 4"),
        (Equipment("deaf_antenna", "seat 4"), "The antenna at seat 4 reads no card"),
        (Equipment("unread_card", "burn"), "A card was not read at burn"),
    ],
)
def test_what_is_asked_of_people_is_told_to_them(told: LookAt | Equipment, words: str) -> None:
    report = {"type": "finding", "hand": 1, "raised": True, "sentence": sentence(told)}
    text = text_of(report | msgspec.to_builtins(told))
    assert text is not None
    assert words in text


def test_what_a_table_waits_for_is_a_line_and_its_end_is_none() -> None:
    assert text_of({"type": "waiting", "device": "shoe-1", "text": "draw a card"}) == "draw a card"
    assert text_of({"type": "waiting", "device": "shoe-1", "text": None}) is None
