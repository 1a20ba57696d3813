"""Which tags the kinds of device can name."""

import pytest

from protocol import pepper_c1, r2000, yrm100
from protocol.tag_reach import can_name

TAGS = {size: ("E2" + "01" * 61)[: 2 * size] for size in range(2, 63)}


def sizes(kind: str, **options: object) -> list[int]:
    return [size for size, tag in TAGS.items() if can_name(kind, tag, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["yrm100", "r2000"])
def test_uhf_readers_name_epcs(kind: str) -> None:
    assert sizes(kind) == list(range(2, 63, 2))


def test_what_a_kind_can_name_its_frames_can_say() -> None:
    """The table is held against the encoders, which know the wire."""
    say = {
        "yrm100": lambda tag: yrm100.encode_notice(tag, -40),
        "r2000": lambda tag: r2000.encode_tag(tag, 1, -40),
        "pepper_c1": lambda tag: pepper_c1.encode_uid_event(tag, is_icode=False),
    }
    for kind, encode in say.items():
        for size, tag in TAGS.items():
            try:
                encode(tag)
            except ValueError:
                assert not can_name(kind, tag), (kind, size)
            else:
                assert can_name(kind, tag), (kind, size)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("tablelink", [4, 7, 8, 10]),
        ("pn532", [4, 7, 10]),
        ("pepper_c1", [4, 5, 6, 7, 8, 9, 10]),
        ("feig_obid", sorted({4, 5, 7, 8, 10, *range(2, 63, 2)})),
        ("text_line", [4, 7, 8, 10]),
    ],
)
def test_other_readers_name_what_their_pages_say(kind: str, expected: list[int]) -> None:
    assert sizes(kind) == expected


@pytest.mark.parametrize(
    ("preset", "expected"),
    [("beddofabrik", [4]), ("panstenos", [4]), ("dubsa", [4, 7, 8, 10]), ("hedley", [4, 7, 8, 10])],
)
def test_a_preset_names_what_its_program_prints(preset: str, expected: list[int]) -> None:
    assert sizes("text_line", preset=preset, antennas=(1,)) == expected
    several = expected if preset == "dubsa" else []
    assert sizes("text_line", preset=preset, antennas=(1, 2)) == several


@pytest.mark.parametrize("preset", ["dubsa", "beddofabrik"])
def test_programs_that_know_their_deck_name_cards(preset: str) -> None:
    assert can_name("text_line", "4173", preset=preset, antennas=(1, 2))
    assert not can_name("text_line", "4174", preset=preset, antennas=(1, 2))
    assert not can_name("text_line", "4173", preset="wohlig", antennas=(1,))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(?P<uid>[0-9A-F]{8,20})", [4, 7, 8, 10]),
        ("(?P<dec7>[0-9]{1,17})", [7]),
        ("(?P<dec5>[0-9]{1,13})", [4]),
        ("(?P<card>[0-9A-Za-z]{2})", []),
    ],
)
def test_a_pattern_names_what_its_groups_hold(pattern: str, expected: list[int]) -> None:
    assert sizes("text_line", patterns=(pattern,)) == expected
    assert can_name("text_line", "4173", patterns=(pattern,)) is ("card" in pattern)


def test_a_reader_that_types_names_tags_by_its_rule_and_texts_without_one() -> None:
    assert sizes("hid_keyboard", typed="hex") == [4, 7, 8, 10]
    assert sizes("hid_keyboard", typed="decimal last 4") == [4]
    assert sizes("hid_keyboard") == []
    assert can_name("hid_keyboard", b"0027314141".hex())


def test_a_kind_that_reads_no_tags_says_nothing_against_any() -> None:
    assert can_name("angel_eye", "00")
