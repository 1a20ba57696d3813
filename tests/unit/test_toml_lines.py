"""The locator must agree with tomllib about what a text says, and with the eye about where."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shoe_bridge.toml_lines import KeyPath, key_lines, line_of

TEXT = '''\
# a comment with [brackets] and "quotes
top = "a # no comment"
[table]
id = 'x\\' # the backslash is plain in a literal
"quoted key" = """
two lines, a quote \\" and ]
"""
a.b.c = 1

[[device]]
name = "r1"
antennas = { 1 = "seat 1", 2 = "seat 2" } # inline
[[device]]
name = "r2"
list = [
  1, # one
  [2, 3],
  { deep = 4 },
]
[device.keys]
1 = "cut"
[[device.part]]
z = 1
[[device.part]]
z = \'\'\'it''s\'\'\'\'
[feed]
path = "x"
'''

LINES: dict[KeyPath, int] = {
    (): 1,
    ("top",): 2,
    ("table",): 3,
    ("table", "id"): 4,
    ("table", "quoted key"): 5,
    ("table", "a"): 8,
    ("table", "a", "b"): 8,
    ("table", "a", "b", "c"): 8,
    ("device",): 10,
    ("device", 0): 10,
    ("device", 0, "name"): 11,
    ("device", 0, "antennas"): 12,
    ("device", 0, "antennas", "1"): 12,
    ("device", 0, "antennas", "2"): 12,
    ("device", 1): 13,
    ("device", 1, "name"): 14,
    ("device", 1, "list"): 15,
    ("device", 1, "list", 0): 16,
    ("device", 1, "list", 1): 17,
    ("device", 1, "list", 1, 0): 17,
    ("device", 1, "list", 1, 1): 17,
    ("device", 1, "list", 2): 18,
    ("device", 1, "list", 2, "deep"): 18,
    ("device", 1, "keys"): 20,
    ("device", 1, "keys", "1"): 21,
    ("device", 1, "part"): 22,
    ("device", 1, "part", 0): 22,
    ("device", 1, "part", 0, "z"): 23,
    ("device", 1, "part", 1): 24,
    ("device", 1, "part", 1, "z"): 25,
    ("feed",): 26,
    ("feed", "path"): 27,
}


def paths_of(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    found = {path}
    if isinstance(value, dict):
        for key, inner in value.items():
            found |= paths_of(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            found |= paths_of(inner, (*path, number))
    return found


def test_every_path_stands_where_the_eye_finds_it() -> None:
    assert key_lines(TEXT) == LINES


def test_paths_are_those_of_tomllib() -> None:
    assert set(key_lines(TEXT)) == paths_of(tomllib.loads(TEXT))


def test_windows_line_ends_count_once() -> None:
    assert key_lines(TEXT.replace("\n", "\r\n")) == LINES


def test_no_line_end_after_the_last_value() -> None:
    assert key_lines("a = 1\nb = [1]") == {(): 1, ("a",): 1, ("b",): 2, ("b", 0): 2}


def test_a_path_that_is_not_spelt_out_takes_the_line_around_it() -> None:
    lines = key_lines(TEXT)
    assert line_of(lines, ("device", 1, "port")) == 13
    assert line_of(lines, ("nothing", "here")) == 1


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


_TEXTS = st.text(st.sampled_from("a#\"'[]{}=,.\\ \n"), max_size=8)
_SCALARS = st.one_of(st.integers(-99, 99).map(str), _TEXTS.map(_quoted))
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[ {', '.join(items)} ]"),
        st.lists(inner, max_size=3).map(
            lambda items: "[\n" + "".join(f"{item}, # ] {{\n" for item in items) + "]"
        ),
        st.lists(inner, max_size=3).map(
            lambda items: "{ " + ", ".join(f"k{n} = {item}" for n, item in enumerate(items)) + " }"
        ),
    ),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.sampled_from(["", "[t{n}]\n", "[[d]]\n", "# note ]\n"]), _VALUES), max_size=6))
def test_any_text_gives_the_paths_of_tomllib(parts: list[tuple[str, str]]) -> None:
    text = "".join(head.format(n=n) + f"key{n} = {value}\n" for n, (head, value) in enumerate(parts))
    assert set(key_lines(text)) == paths_of(tomllib.loads(text))
