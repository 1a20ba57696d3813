"""The map of a table: what a touch proves, and how a corrected map is written into the file."""

import queue
import time
from pathlib import Path

import msgspec
import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.calibrate import _write
from shoe_bridge.cli.calibrate_file import differences, with_maps, written_anew
from shoe_bridge.cli.calibrate_lights import Replies
from shoe_bridge.cli.calibrate_map import MapProof, Question, Spot, key_spot, number_of, widened
from shoe_bridge.errors import UsageError
from shoe_bridge.runtime.config import TableConfig, parse

FILE = Path("t.toml")
TEXT = """\
# the table by the window
[table]
id = "t"          # as on its sign
game = "holdem"
seats = 2

[[device]]
name = "reader-1"
kind = "pepper_c1"
port = "/dev/shoe-bridge/reader-1"
antennas = { 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "board" }   # under the felt

[[device]]
name = "reader-2"
kind = "tablelink"
port = "/dev/shoe-bridge/reader-2"
[device.antennas]
1 = "burn"        # the slot
2 = "muck"
[device.keys]
1 = "shuffle"
2 = "end deal"

[[light]]
name = "dealer"
kind = "tablelink"
device = "reader-2"
[[light]]
name = 'floor'
kind = "lcus_relay"
port = "/dev/shoe-bridge/floor"
"""
DOTTED = """\
[table]
id = "t"
game = "holdem"
seats = 1
[[device]]
name = "r"
kind = "tablelink"
port = "/dev/r"
antennas.1 = "seat 1"
antennas.2 = "board"   # long
antennas.3 = "burn"
"""

PAD_KEYS = 'keys = { F1 = "shuffle", KP1 = "cut" }\n'
PAD = f"""{DOTTED}[[device]]
name = "pad-1"
kind = "hid_keyboard"
port = "usb:1189:8890"
{PAD_KEYS}"""


def table(text: str = TEXT) -> TableConfig:
    return parse(text, FILE)


def question(proof: MapProof, name: str, turn: int = 1) -> Question:
    return next(one for one in proof.questions if (one.name, one.turn) == (name, turn))


def prove_all(proof: MapProof, **elsewhere: Spot) -> None:
    """Answer every question, those named with the spot where it is wired in truth."""
    for one in proof.questions:
        spot = elsewhere.get(one.name.replace(" ", "_"), one.configured)
        answer = proof.looked(one, spot.device) if one.what == "light" else proof.heard(one, {spot})
        assert answer.is_proof, answer


# -- questions and answers


def test_the_way_round_the_table_begins_at_seat_one_and_ends_at_the_lights() -> None:
    names = [(one.what, one.name, one.turn) for one in MapProof(table()).questions]
    assert names == [
        ("antenna", "seat 1", 1),
        ("antenna", "seat 2", 1),
        ("antenna", "board", 1),
        ("antenna", "board", 2),
        ("antenna", "burn", 1),
        ("antenna", "muck", 1),
        ("key", "shuffle", 1),
        ("key", "end deal", 1),
        ("light", "dealer", 1),
        ("light", "floor", 1),
    ]
    assert "number 2 of 2" in MapProof(table()).questions[3].words()
    assert [one.what for one in MapProof(table(), ("keys",)).questions] == ["key", "key"]


def test_a_map_that_is_as_configured_changes_nothing() -> None:
    proof = MapProof(table())
    prove_all(proof)
    assert (proof.unproven, proof.changes) == ([], [])
    assert proof.corrected() == proof.config


def test_two_antennas_of_one_place_may_be_touched_in_any_order() -> None:
    proof = MapProof(table(), ("antennas",))
    assert proof.heard(question(proof, "board", 1), {Spot("reader-1", 4)}).is_proof
    assert proof.heard(question(proof, "board", 2), {Spot("reader-1", 3)}).is_proof
    assert proof.changes == []


def test_a_card_that_two_antennas_hear_proves_nothing() -> None:
    proof = MapProof(table())
    first = question(proof, "seat 1")
    answer = proof.heard(first, {Spot("reader-1", 1), Spot("reader-1", 2)})
    assert not answer.is_proof
    assert "antenna 1 of reader-1 and antenna 2 of reader-1" in answer.text
    assert first in proof.unproven


def test_an_antenna_is_proven_once_and_does_not_count_beside_a_new_one() -> None:
    proof = MapProof(table())
    one, two = Spot("reader-1", 1), Spot("reader-1", 2)
    assert proof.heard(question(proof, "seat 1"), {one}).is_proof
    again = proof.heard(question(proof, "seat 2"), {one})
    assert not again.is_proof
    assert "which is seat 1 already" in again.text
    assert proof.heard(question(proof, "seat 2"), {one, two}).spot == two


def test_exchanged_antennas_are_told_and_corrected() -> None:
    proof = MapProof(table())
    prove_all(proof, seat_1=Spot("reader-1", 2), seat_2=Spot("reader-1", 7), burn=Spot("reader-1", 1))
    assert [one.name for one, _ in proof.changes] == ["seat 1", "seat 2", "burn"]
    devices = proof.corrected().devices
    assert devices[0].antennas == {1: "burn", 2: "seat 1", 3: "board", 4: "board", 7: "seat 2"}
    assert devices[1].antennas == {2: "muck"}


def test_keys_and_lights_are_corrected_too() -> None:
    proof = MapProof(table())
    prove_all(
        proof,
        shuffle=Spot("reader-2", 2),
        end_deal=Spot("reader-2", 9),
        dealer=Spot("floor", 0),
        floor=Spot("dealer", 0),
    )
    corrected = proof.corrected()
    assert corrected.devices[1].keys == {2: "shuffle", 9: "end deal"}
    assert [(light.name, light.kind) for light in corrected.lights] == [
        ("floor", "tablelink"),
        ("dealer", "lcus_relay"),
    ]


def test_one_light_cannot_be_two() -> None:
    proof = MapProof(table(), ("lights",))
    first, second = proof.questions
    assert proof.looked(first, "dealer").is_proof
    assert not proof.looked(second, "dealer").is_proof


def test_a_device_is_heard_at_every_antenna_and_key_that_it_may_have() -> None:
    pepper, tablelink = table().devices
    assert list(widened(pepper).antennas) == list(range(1, 9))
    assert (len(widened(tablelink).antennas), len(widened(tablelink).keys)) == (32, 32)
    assert number_of(widened(tablelink).keys[7]) == 7
    single = msgspec.structs.replace(pepper, antennas={3: "seat 1"})
    assert list(widened(single).antennas) == [3]
    asked = msgspec.structs.replace(pepper, kind="feig_obid", antennas={1: "seat 1", 3: "board"})
    assert list(widened(asked).antennas) == [1, 3]


def test_a_reader_that_types_is_listened_to_as_one_and_a_keypad_at_every_key() -> None:
    pad = table(PAD).devices[1]
    assert set(widened(pad).keys) == set(range(1, 0xE0))
    wedge = msgspec.structs.replace(pad, keys={}, antennas={1: "burn"})
    assert (widened(wedge).antennas, widened(wedge).keys) == ({1: "antenna 1"}, {})


# -- the file


def changed_lines(old: str, new: str) -> list[str]:
    return [line for line in new.splitlines() if line not in old.splitlines()]


def test_a_map_in_one_line_is_changed_and_its_remark_kept() -> None:
    proof = MapProof(table())
    prove_all(proof, seat_1=Spot("reader-1", 2), seat_2=Spot("reader-1", 1))
    text = with_maps(TEXT, FILE, proof.corrected())
    assert text is not None
    assert changed_lines(TEXT, text) == [
        'antennas = { 1 = "seat 2", 2 = "seat 1", 3 = "board", 4 = "board" }   # under the felt'
    ]


def test_a_map_with_one_entry_a_line_is_changed_and_its_remarks_kept() -> None:
    proof = MapProof(table())
    prove_all(proof, burn=Spot("reader-2", 2), muck=Spot("reader-2", 5), shuffle=Spot("reader-2", 3))
    text = with_maps(TEXT, FILE, proof.corrected())
    assert text is not None
    assert '2 = "burn"        # the slot\n5 = "muck"\n' in text
    assert '2 = "end deal"\n3 = "shuffle"\n' in text
    assert parse(text, FILE) == proof.corrected()


def test_an_antenna_that_moves_to_another_device_moves_in_the_file() -> None:
    proof = MapProof(table())
    prove_all(proof, muck=Spot("reader-1", 8))
    text = with_maps(TEXT, FILE, proof.corrected())
    assert text is not None
    assert '8 = "muck" }   # under the felt' in text
    assert '[device.antennas]\n1 = "burn"        # the slot\n[device.keys]' in text


def test_a_map_with_dotted_keys_is_changed() -> None:
    proof = MapProof(table(DOTTED))
    prove_all(proof, board=Spot("r", 3), burn=Spot("r", 9))
    text = with_maps(DOTTED, FILE, proof.corrected())
    assert text is not None
    assert text.endswith('antennas.1 = "seat 1"\nantennas.3 = "board"   # long\nantennas.9 = "burn"\n')


@pytest.mark.parametrize(
    "keys",
    [
        'keys = { F1 = "shuffle", KP1 = "cut" }  # by hand\n',
        '[device.keys]\nF1 = "shuffle"  # red\n"KP1" = "cut"\n',
    ],
)
def test_keys_of_a_keypad_stand_in_the_file_by_their_names(keys: str) -> None:
    text = PAD.replace(PAD_KEYS, keys)
    proof = MapProof(table(text), ("keys",))
    shuffle, cut = proof.questions
    assert shuffle.configured == key_spot(proof.config.devices[1], 0x3A)
    assert proof.heard(shuffle, {key_spot(proof.config.devices[1], 0x3B)}).text == (
        "shuffle: key F2 of pad-1, not key F1 of pad-1 as configured"
    )
    assert proof.heard(cut, {cut.configured}).is_proof
    wanted = proof.corrected()
    assert list(differences(table(text), wanted)) == ['pad-1: keys = { F2 = "shuffle", KP1 = "cut" }']
    changed = with_maps(text, FILE, wanted)
    assert changed is not None
    assert changed == text.replace("F1 =", "F2 =").replace('"KP1" =', "KP1 =")
    assert parse(written_anew(text, wanted), FILE) == wanted


def test_names_of_lights_are_exchanged() -> None:
    proof = MapProof(table())
    prove_all(proof, dealer=Spot("floor", 0), floor=Spot("dealer", 0))
    text = with_maps(TEXT, FILE, proof.corrected())
    assert text is not None
    assert text.index('name = "floor"\nkind = "tablelink"') < text.index(
        'name = "dealer"\nkind = "lcus_relay"'
    )


def test_a_file_that_cannot_be_changed_in_place_is_written_anew() -> None:
    odd = 'device = [{ name = "r", kind = "tablelink", port = "/dev/r", antennas = {'
    odd += ' 1 = "seat 1", 2 = "board", 3 = "burn" } }]\n[table]\nid = "t"\ngame = "holdem"\nseats = 1\n'
    proof = MapProof(table(odd))
    prove_all(proof, board=Spot("r", 3), burn=Spot("r", 2))
    in_place = with_maps(odd, FILE, proof.corrected())
    assert in_place is None or parse(in_place, FILE) == proof.corrected()
    assert parse(written_anew(odd, proof.corrected()), FILE) == proof.corrected()
    assert list(differences(proof.config, proof.corrected())) == [
        'r: antennas = { 1 = "seat 1", 2 = "burn", 3 = "board" }'
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "hats"], "--only 'hats' is no part of a table"),
        ([], "/dev/shoe-bridge/reader-1 does not exist"),
    ],
)
def test_bad_usage_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    file = tmp_path / "t.toml"
    file.write_text(TEXT)
    assert run_command(["calibrate", "--config", str(file), *arguments]) == 2
    assert words in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["t.toml"]
    assert file.read_text() == TEXT


# -- answers


class _Lines:
    """A standard input whose lines come when they are let through."""

    def __init__(self) -> None:
        self._lines: queue.Queue[str] = queue.Queue()

    def type(self, line: str) -> None:
        self._lines.put(line)

    def readline(self) -> str:
        return self._lines.get(timeout=5)


def reply(replies: Replies) -> str | None:
    for _ in range(200):
        said = replies.taken()
        if said is not None:
            return said
        time.sleep(0.005)
    return None


def test_each_question_has_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = _Lines()
    monkeypatch.setattr("sys.stdin", typed)
    replies = Replies()
    for line in ("y\n", "Floor \n"):
        replies.ask()
        typed.type(line)
        assert reply(replies) == line.strip().lower()


def test_a_line_that_comes_too_late_answers_no_other_question(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = _Lines()
    monkeypatch.setattr("sys.stdin", typed)
    replies = Replies()
    replies.ask()
    assert replies.taken() is None  # given up
    replies.ask()
    typed.type("y\n")
    typed.type("n\n")
    assert reply(replies) == "n"


def test_an_input_that_has_ended_answers_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    replies = Replies()
    replies.ask()
    assert reply(replies) == ""


def test_a_map_that_no_bridge_would_run_with_is_never_written(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(TEXT)
    proof = MapProof(parse(TEXT, file), ("keys",))
    for number, question in enumerate(proof.questions, start=1):
        proof.heard(question, {Spot("reader-1", number)})  # a Pepper has no keys
    with pytest.raises(UsageError, match="nothing is written"):
        _write(proof, TEXT, file)
    assert [path.name for path in tmp_path.iterdir()] == ["t.toml"]
    assert file.read_text() == TEXT
