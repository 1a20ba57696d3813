import pytest

from protocol.messages import Failure, Reason
from protocol.tag_text import card_of_text, tag_of_bytes, tag_of_decimals, tag_of_hex, tag_of_integer


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("04 06 B9 02 0A 54 81", "0406B9020A5481"),
        ("04:06:b9:02", "0406B902"),
        ("04-06-b9-02", "0406B902"),
        ("0406b902", "0406B902"),
        ("04  06 - B9 02", "0406B902"),
        ("6A1F0885F8", "6A1F0885"),
        ("E0040150A05F02B7", "E0040150A05F02B7"),
        ("B7025FA0500104E0", "E0040150A05F02B7"),
        ("E0040150A05F02E0", "E0040150A05F02E0"),
        ("0102030405060708", "0102030405060708"),
        ("00000001", "00000001"),
    ],
)
def test_hex_in_every_dress_is_one_tag(text: str, tag: str) -> None:
    assert tag_of_hex(text) == tag


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("6A1F0885F9", Reason.BAD_CHECK),
        ("", Reason.IMPLAUSIBLE),
        ("040", Reason.IMPLAUSIBLE),
        ("0406B9", Reason.IMPLAUSIBLE),
        ("0406B9020A54", Reason.IMPLAUSIBLE),
        ("zz06B902", Reason.IMPLAUSIBLE),
        ("00000000", Reason.IMPLAUSIBLE),
        ("FFFFFFFFFFFFFF", Reason.IMPLAUSIBLE),
        ("88040E3B", Reason.IMPLAUSIBLE),
        ("88040E3BB9", Reason.IMPLAUSIBLE),
        ("88040E3BD2286B", Reason.IMPLAUSIBLE),
    ],
)
def test_what_is_no_tag_is_a_failure(text: str, reason: Reason) -> None:
    found = tag_of_hex(text)
    assert isinstance(found, Failure)
    assert found.reason is reason


def test_a_cascade_tag_says_so() -> None:
    found = tag_of_bytes(bytes.fromhex("88040E3B"))
    assert isinstance(found, Failure)
    assert "cascade tag" in found.detail


@pytest.mark.parametrize(
    ("text", "tag"),
    [("106-31-8-133-248", "6A1F0885"), ("4 6 185 2", "0406B902"), ("154:98:11:133", "9A620B85")],
)
def test_decimals_are_bytes(text: str, tag: str) -> None:
    assert tag_of_decimals(text) == tag


@pytest.mark.parametrize("text", ["256-1-1-1", "1-2-3", "a-b-c-d", "1--2", "-1 2 3 4", "0001-2-3-4"])
def test_decimals_that_are_no_bytes(text: str) -> None:
    assert isinstance(tag_of_decimals(text), Failure)


def test_an_integer_has_its_size() -> None:
    assert tag_of_integer("455787185656", 5) == "6A1F0885"
    assert tag_of_integer("67549442", 4) == "0406B902"
    assert isinstance(tag_of_integer("4294967296", 4), Failure)
    assert isinstance(tag_of_integer("-5", 4), Failure)
    assert isinstance(tag_of_integer("9" * 30, 8), Failure)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("As", "As"),
        ("AS", "As"),
        ("as", "As"),
        ("10d", "Td"),
        ("Td", "Td"),
        ("1s", "As"),
        ("HA", "Ah"),
        ("P7", "7s"),
        ("H10", "Th"),
        ("2c", "2c"),
        ("K7", None),
        ("XX", None),
        ("", None),
        ("A", None),
        ("11s", None),
    ],
)
def test_card_names(text: str, card: str | None) -> None:
    assert card_of_text(text) == card
