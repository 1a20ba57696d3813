"""With which characters a line may begin that fits a pattern: never fewer than are possible."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.line_firsts import ANY
from protocol.line_pattern import LinePatterns, line_pattern
from protocol.text_presets import PRESETS


def preset_sources() -> list[str]:
    return [pattern.source for pattern in PRESETS["auto"]]


ODD = [
    r"(?P<uid>[0-9A-F]{0,8})",
    r"x{0,2}(?P<uid>[0-9]{8})",
    r"(?:a|b{0,1})(?P<uid>[0-9]{8})",
    r"^(?P<uid>[0-9]{8})$",
    r"(?P<uid>[^0-9][0-9]{7})",
    r"(?P<uid>\d{8})",
    r".(?P<uid>[0-9]{8})",
    r"(?i)card (?P<uid>[0-9]{8})",
    r"(?i:card )(?P<uid>[0-9]{8})",
    r"(?:(?:a|)(?:b|))(?P<uid>[0-9]{8})",
    r"(?>a{0,2})(?P<uid>[0-9]{8})",
    r"é{0,1}(?P<uid>[0-9]{8})|(?P<empty>)",
]


@settings(max_examples=200, deadline=None)
@given(data=st.data(), source=st.sampled_from([*preset_sources(), *ODD]))
def test_every_line_that_fits_begins_with_one_of_them(data: st.DataObject, source: str) -> None:
    pattern = line_pattern(source)
    line = data.draw(st.from_regex(pattern.regex, fullmatch=True, alphabet=st.characters(max_codepoint=0x7F)))
    if pattern.match(line) is not None:
        assert line[:1] in pattern.firsts
        assert pattern in LinePatterns([pattern]).may_fit(line)


@pytest.mark.parametrize(
    ("source", "firsts"),
    [
        (r"\[UID (?P<uid>[0-9]{8})", "["),
        (r"(?:UID|Card) (?P<uid>[0-9]{8})", "UC"),
        (r"x{0,2}(?P<uid>[0-3]{8})", "x0123"),
        (r"^-(?P<uid>[0-9]{8})", "-"),
        (r"(?>a{1,2})(?P<uid>[0-9]{8})", "a"),
    ],
)
def test_these_are_plain_from_the_pattern(source: str, firsts: str) -> None:
    assert line_pattern(source).firsts == frozenset(firsts)


@pytest.mark.parametrize("source", [r"(?i)a(?P<uid>[0-9]{8})", r".(?P<uid>[0-9]{8})", r"(?P<uid>[^a]{8})"])
def test_where_it_is_not_plain_any_line_may_fit(source: str) -> None:
    assert line_pattern(source).firsts >= ANY - {""}


def test_only_a_pattern_of_the_empty_text_may_fit_the_empty_line() -> None:
    empty, tag = line_pattern("(?P<empty>)"), line_pattern("(?P<uid>[0-9]{8})")
    patterns = LinePatterns([tag, empty])
    assert patterns.may_fit("") == (empty,)
    assert patterns.may_fit("12345678") == (tag,)
    # beyond the characters that are told apart each pattern is asked
    assert patterns.may_fit("٣") == (tag, empty)
