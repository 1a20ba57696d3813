"""Lines for people and programs never hold up whoever reports them."""

import contextlib
import io
import os

import msgspec

from shoe_bridge.cli.report_lines import ReportPrinter, text_of


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
