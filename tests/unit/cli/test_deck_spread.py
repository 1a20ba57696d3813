"""A deck in a spread: what the order tells, what has to be lifted; single cards replaced; dead ones named."""

import io
import shlex
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.deck_check import DeckCheck
from shoe_bridge.cli.deck_enrol import ORDER, Enrolment, order_of
from shoe_bridge.cli.deck_show import Show
from shoe_bridge.cli.deck_spread import Doubt, Lifting, Spread
from shoe_bridge.cli.deck_tags import TagRead, telling_gap_s
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.decks import load_register, save_register
from shoe_bridge.table.deck import Deck, Register

TAGS = tuple(f"E0040000000000{number:02X}" for number in range(52))
RED = Deck("red", {f"E00411111111{number:04X}": card for number, card in enumerate(ORDER)})
CARDS = ("As", "2s", "3s", "4s")


def came(tag: str, before: int, after: int) -> TagRead:
    return TagRead(tag, window_ns=(before, after))


def gone(tag: str) -> TagRead:
    return TagRead(tag, is_gone=True)


def spread(*reads: TagRead, order: tuple[str, ...] = CARDS) -> Spread:
    made = Spread(order)
    for read in reads:
        made.take(read)
    return made


# -- the order


def test_cards_that_came_one_after_the_other_are_told_by_the_order() -> None:
    made = spread(came("D", 40, 50), came("A", 0, 10), came("B", 10, 20), came("C", 25, 30))
    assert made.told() == {"A": "As", "B": "2s", "C": "3s", "D": "4s"}
    assert made.doubts() == []


def test_cards_that_may_have_come_in_either_order_are_in_doubt() -> None:
    made = spread(came("A", 0, 10), came("B", 10, 20), came("C", 15, 30), came("D", 30, 40))
    assert made.told() == {"A": "As", "D": "4s"}
    assert made.doubts() == [Doubt(("2s", "3s"), ("B", "C"))]


def test_a_long_window_reaches_over_those_between() -> None:
    made = spread(came("A", 0, 100), came("B", 10, 20), came("C", 20, 30), came("D", 100, 110))
    assert made.told() == {"D": "4s"}
    assert set(made.doubts()[0].tags) == {"A", "B", "C"}


@pytest.mark.parametrize("tags", ["ABC", "ABCDE"])
def test_too_few_or_too_many_tags_make_the_order_worthless(tags: str) -> None:
    made = spread(*(came(tag, at * 10, at * 10 + 5) for at, tag in enumerate(tags)))
    assert made.told() == {}
    (doubt,) = made.doubts()
    assert (doubt.cards, set(doubt.tags)) == (CARDS, set(tags))
    assert spread().doubts() == []


def test_a_card_that_was_moved_counts_from_its_last_coming() -> None:
    made = spread(came("A", 0, 10), came("B", 10, 20), gone("A"), came("A", 30, 40), order=("As", "2s"))
    assert made.told() == {"B": "As", "A": "2s"}


# -- lifting


def test_each_lifted_card_is_the_tag_that_went_and_the_last_is_the_last() -> None:
    lifting = Lifting(Doubt(("As", "2s", "3s"), ("A", "B", "C")))
    assert lifting.due == "As"
    lifting.take(gone("B"))
    assert lifting.settle() is None
    assert lifting.due == "2s"
    lifting.take(gone("A"))
    lifting.settle()
    assert lifting.due is None
    assert (lifting.found, lifting.dead) == ({"B": "As", "A": "2s", "C": "3s"}, [])


def test_two_that_go_at_once_tell_nothing_until_one_is_back() -> None:
    lifting = Lifting(Doubt(("As", "2s"), ("A", "B")))
    lifting.take(gone("A"))
    lifting.take(gone("B"))
    assert "2 tags are gone at once" in (lifting.settle() or "")
    assert lifting.due == "As"
    lifting.take(came("A", 1, 2))
    assert lifting.settle() is None
    assert lifting.found == {"B": "As"}


def test_a_card_without_a_tag_is_dead_and_so_are_those_left_over() -> None:
    lifting = Lifting(Doubt(("As", "2s", "3s"), ("A",)))
    assert lifting.due == "As"
    assert not lifting.put_off()
    assert lifting.due == "2s"
    lifting.take(gone("A"))
    lifting.settle()
    assert lifting.due is None
    assert (lifting.found, lifting.dead) == ({"A": "2s"}, ["3s", "As"])


def test_a_card_is_only_dead_once_somebody_lifted_another() -> None:
    lifting = Lifting(Doubt(("As", "2s", "3s"), ("A", "B", "C", "D")))
    for _ in range(9):  # nobody is there: no card is ever called dead
        assert not lifting.put_off()
    assert (lifting.due, lifting.dead) == ("As", [])
    assert not lifting.put_off()
    lifting.take(gone("B"))
    lifting.settle()
    assert (lifting.found, lifting.due) == ({"B": "2s"}, "3s")
    assert lifting.put_off()
    assert lifting.dead == ["3s"]


def test_a_reader_that_tells_each_tag_once_has_told_the_order() -> None:
    once = [read for at, tag in enumerate("ABCD") for read in (came(tag, 10 * at, 10 * at + 5), gone(tag))]
    made = spread(*once)
    assert (made.heard, made.lying, made.is_whole) == (4, set(), True)
    assert made.told() == {"A": "As", "B": "2s", "C": "3s", "D": "4s"}
    few = spread(*once[:4])
    assert (few.heard, few.is_whole, few.told(), few.doubts()) == (2, False, {}, [])


def test_what_was_swept_away_does_not_stand_for_a_silent_card() -> None:
    """Three of four lie there, and one that does not belong was there: it is not the fourth."""
    reads = [came(tag, 10 * at, 10 * at + 5) for at, tag in enumerate("ZABC")]
    made = spread(*reads, gone("Z"))
    assert (made.heard, made.is_whole, made.told()) == (4, False, {})


def test_a_strange_tag_that_comes_or_goes_changes_nothing() -> None:
    lifting = Lifting(Doubt(("As", "2s"), ("A", "B")))
    lifting.take(gone("Z"))
    assert lifting.settle() is None
    assert lifting.due == "As"


# -- order, replace, dead


def test_an_order_can_be_told(tmp_path: Path) -> None:
    file = tmp_path / "order.txt"
    file.write_text("\ufeff" + ", ".join(reversed(ORDER[:26])) + "\n" + " ".join(ORDER[26:]), "utf-8")
    order = order_of(file)
    assert (order[0], order[25], order[51]) == ("Kh", "As", "Kc")
    enrolment = Enrolment("blue", Register(()), order=order)
    assert enrolment.offer(TagRead(TAGS[0])).card == "Kh"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("As 2s", "lacks 50 cards, such as 3s"),
        ("As As", "has the ace of spades twice"),
        ("As 1s", "has '1s', which is no card"),
    ],
)
def test_an_order_that_is_none_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    order, file = tmp_path / "order.txt", tmp_path / "decks.toml"
    order.write_text(text)
    arguments = ["deck", "register", "--file", str(file), "--deck", "blue", "--tags", "-"]
    assert run_command([*arguments, "--order", str(order)]) == 2
    assert words in capsys.readouterr().err


def replace(file: Path, tags: Path, *cards: str) -> int:
    more = [part for card in cards for part in ("--replace", card)]
    return run_command(["deck", "register", "--file", str(file), "--deck", "red", "--tags", str(tags), *more])


def test_one_card_is_given_a_new_tag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, tags = tmp_path / "decks.toml", tmp_path / "tags"
    blue = Deck("blue", {TAGS[9]: "As"})
    save_register(file, Register((RED, blue)))
    taken = next(tag for tag, card in RED.tags.items() if card == "Kc")
    tags.write_text(f"{taken}\n{TAGS[9]}\n{TAGS[0]}\n{TAGS[1]}\n")
    assert replace(file, tags, "7h", "As") == 0
    told = capsys.readouterr()
    assert "lay down the new 7 of hearts (1 of 2)" in told.out
    assert told.err.count("was refused") == 2
    red, other = load_register(file).decks
    assert (red.tags[TAGS[0]], red.tags[TAGS[1]], len(red.tags)) == ("7h", "As", 52)
    assert other == blue


def test_a_replacement_that_is_broken_off_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, tags = tmp_path / "decks.toml", tmp_path / "tags"
    save_register(file, Register((RED,)))
    before = file.read_bytes()
    tags.write_text(f"{TAGS[0]}\n")
    assert replace(file, tags, "7h", "8h") == 1
    assert "is as it was" in capsys.readouterr().err
    assert file.read_bytes() == before
    assert replace(file, tags, "1h") == 2
    assert "no card of deck red" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--replace", "7h", "--anew"], "leave out --spread"),
        (["--spread"], "--spread needs a reader"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    arguments = ["deck", "register", "--file", str(tmp_path / "d"), "--deck", "red", "--tags", "-", *more]
    assert run_command(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_card_that_is_silent_alone_too_is_dead() -> None:
    check = DeckCheck(Register((RED,)), None, "decks.toml")
    tags = list(RED.tags)
    for tag in tags[2:]:
        check.take(TagRead(tag))
    assert not check.take_any(gone(tags[0]))
    check.tried(tags[0])
    assert (check.line()["missing"], check.line()["dead"]) == (["2s", "As"], ["As"])
    assert f"dead: As ({tags[0]}), replace it with `shoe-bridge deck register" in check.text()
    assert f"missing: 2s ({tags[1]})" in check.text()
    check.take(TagRead(tags[0]))
    assert check.dead == {}


def test_the_command_for_a_dead_card_is_whole(tmp_path: Path) -> None:
    """Run as it is printed, it asks for nothing but the card."""
    file = tmp_path / "two decks.toml"
    save_register(file, Register((RED,)))
    dead = next(tag for tag, card in RED.tags.items() if card == "Kc")
    check = DeckCheck(load_register(file), None, str(file), ("--tags", str(tmp_path / "new")))
    for tag in RED.tags:
        if tag != dead:
            check.take(TagRead(tag))
    check.tried(dead)
    (line,) = [line for line in check.text().splitlines() if "dead: Kc" in line]
    command = line.partition("`")[2].partition("`")[0]
    assert command == (
        f"shoe-bridge deck register --file '{file}' --deck red --tags {tmp_path / 'new'} --replace Kc"
    )
    (tmp_path / "new").write_text("E00499999999FFFF\n")
    assert run_command(shlex.split(command)[1:]) == 0
    assert load_register(file).decks[0].tags["E00499999999FFFF"] == "Kc"


def test_the_reader_that_was_asked_is_the_one_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def nobody_answers(check: DeckCheck, *_: object) -> None:
        for tag in check.deck.tags:
            check.tried(tag)

    monkeypatch.setattr("shoe_bridge.cli.deck_run.check_alone", nobody_answers)
    save_register(tmp_path / "d", Register((RED,)))
    reader = ["--device", "hid_keyboard", "--port", "/dev/ttyUSB0", "--typed", "hex reversed"]
    assert run_command(["deck", "check", "--file", str(tmp_path / "d"), *reader, "--alone"]) == 1
    named = f"--file {tmp_path / 'd'} --deck red --device hid_keyboard --port /dev/ttyUSB0"
    assert f"{named} --typed 'hex reversed' --replace Kc`" in capsys.readouterr().out


# -- what a person sees


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_what_to_do_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    with Show(52) as show:
        show.ask("lay down the ace of spades", 17)
        show.note("  As is E004")
        show.refuse("E005 was refused")
    text = screen.getvalue()
    assert "lay down the ace of spades" in text
    assert "17/52" in text
    assert "E005 was refused" in text


def test_elsewhere_each_thing_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with Show(52) as show:
        show.ask("lay down the ace of spades", 17)
        show.count("17 tags heard", 17)
        show.refuse("E005 was refused")
    told = capsys.readouterr()
    assert told.out == "lay down the ace of spades (18 of 52)\n"
    assert told.err == "E005 was refused\n"


@pytest.mark.parametrize(
    ("kind", "antennas", "mode", "gap_s"),
    [
        ("tablelink", 1, "inventory", 0.5),
        ("tablelink", 2, "inventory", 0.9),
        ("pepper_c1", 1, "inventory", 0.9),
        ("feig_obid", 1, "inventory", 0.5),
        ("feig_obid", 1, "buffered", 0.9),
    ],
)
def test_how_far_apart_cards_must_come_hangs_on_the_reader(
    kind: str, antennas: int, mode: str, gap_s: float
) -> None:
    places = {number: f"antenna {number}" for number in range(1, antennas + 1)}
    device = DeviceConfig(name="r", kind=kind, port="/dev/x", antennas=places, mode=mode, cycle_ms=400)
    assert telling_gap_s(device) == gap_s
