"""What the schema check says of true and false, of choices, of sections in sections, and of keys left out."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from shoe_bridge.toml_schema import near_miss, schema_complaints, shown, visible, words


class Lamp(msgspec.Struct, forbid_unknown_fields=True):
    lit: bool
    colour: Literal["red", "green"] = "red"
    ports: tuple[Annotated[int, Meta(ge=1, le=8)], ...] = ()


class Line(msgspec.Struct):
    parity: Literal["N", "E", "O", ""] = ""


class House(msgspec.Struct, forbid_unknown_fields=True):
    lamps: dict[str, Lamp]
    title: Annotated[str, Meta(min_length=1)] | None = None
    places: dict[int, str] = {}
    lines: tuple[Line, ...] = ()


@pytest.mark.parametrize(
    ("document", "path", "said"),
    [
        ({"lamps": {"a": {"lit": 1}}}, ("lamps", "a", "lit"), "lit is 1, expected true or false"),
        ({"lamps": {"a": {}}}, ("lamps", "a"), 'the key "lit" is missing in [lamps.a], expected on or off'),
        (
            {"lamps": {"a": {"lit": True, "colour": "gren"}}},
            ("lamps", "a", "colour"),
            'colour is "gren", expected green or red (did you mean "green"?)',
        ),
        (
            {"lamps": {"a.b": {"lit": True, "x": 1}}},
            ("lamps", "a.b", "x"),
            'unknown key "x" in [lamps."a.b"], expected one of lit, colour or ports',
        ),
        (
            {"lamps": {"a": {"lit": True, "ports": [1, 9]}}},
            ("lamps", "a", "ports", 1),
            "ports[2] is 9, expected",
        ),
        (
            {"lamps": {"a": 3}},
            ("lamps", "a"),
            "a is 3, expected a section with the keys lit, colour or ports",
        ),
        ({"lamps": []}, ("lamps",), "lamps is a list of 0, expected a table in braces"),
        ({"lamps": {}, "title": ""}, ("title",), 'title is "", expected a text in quotes'),
        (
            {"lamps": {}, "title": "a\0b"},
            ("title",),
            'title is "a\\x00b", expected a text in quotes without a NUL',
        ),
        (
            {"lamps": {}, "lines": [{"parity": "e"}]},
            ("lines", 0, "parity"),
            'parity is "e", expected E, N or O (did you mean "E"?)',
        ),
        (
            {"lamps": {}, "places": {"9" * 5000: "burn"}},
            ("places", "9" * 5000),
            "a number in places has 5000 digits, expected a plain one before the =",
        ),
        ({"lamps": {}, "places": {"x\ny": "burn"}}, ("places", "x\ny"), '"x\\ny" in places is no number'),
        ({}, (), 'the key "lamps" is missing at the top level, expected such as lamps = ...'),
    ],
)
def test_what_does_not_fit(document: dict[str, Any], path: tuple[str | int, ...], said: str) -> None:
    [complaint] = schema_complaints(document, House, {"lit": "on or off"})
    assert complaint.path == path
    assert said in complaint.sentence


def test_a_document_that_fits():
    assert schema_complaints({"lamps": {"a": {"lit": False, "colour": "green", "ports": [1]}}}, House) == []


def test_words_for_people():
    assert words([]) == ""
    assert words(["a"]) == "a"
    assert words(["a", "b", "c"], "and") == "a, b and c"
    assert near_miss("gren", ["green", "red"]) == ' (did you mean "green"?)'
    assert near_miss("blue", ["green", "red"]) == ""
    assert (shown(True), shown({}), shown([1]), shown("x" * 70)) == (
        "true",
        "a table",
        "a list of 1",
        f'"{"x" * 57}..."',
    )


def test_what_no_terminal_shows_is_shown_as_its_escape() -> None:
    assert shown("a\nb\x1b[2J\0") == '"a\\nb\\x1b[2J\\x00"'
    assert shown("Grüße") == '"Grüße"'
    assert shown("\n" * 60) == '"' + "\\n" * 28 + '\\..."'
    assert visible("plain") == "plain"
