import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from shoe_bridge.cli import terminal
from shoe_bridge.cli.rehearsal import pictured_view
from shoe_bridge.cli.view import View
from shoe_bridge.errors import UsageError
from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.rules.games import open_game
from shoe_bridge.table.alerts import Alert, Alerts, acknowledge
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Register
from shoe_bridge.table.findings import LookAt, OrderError, Repairable
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.state import Setup, Standing, TableState, start

SAYS = "cards dealt out of order"


@pytest.fixture(scope="module")
def view() -> View:
    return pictured_view(terminal.PICTURE_SEED)


def drawn(view: View) -> str:
    console = Console(width=100, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(terminal.render(view))
    return capture.get()


def finding(number: int, kind: str, sentence: str, **more: object) -> dict[str, object]:
    return {"type": "finding", "raised": True, "number": number, "kind": kind, "sentence": sentence, **more}


def fresh_state() -> TableState:
    setup = Setup("t-1", open_game("holdem"), (1, 2, 3), 3, Register(()), ())
    state = start(setup)
    return replace(state, unproven=(), hand=replace(state.hand, number=3))


def table_state(status: str = "raised", cause: str = "deal") -> TableState:
    """Hand 3 with alert 1 on finding 4, and finding 5 that says what can be done."""
    standing = (
        Standing(4, OrderError(1, "seat 2", "seat 1", "19.1(c)"), 3),
        Standing(5, Repairable("19.1(c)", ("1 -> seat 1",)), 3),
    )
    alert = Alert(1, 3, cause, "attention", status, ((4, "attention"),), (4,))
    return replace(fresh_state(), standing=standing, alerts=Alerts((alert,), 2), unproven=("keys-1",))


def told_view() -> View:
    view = View("t-1", "holdem", 3, ("reader-1", "keys-1"))
    view.take(
        finding(4, "order_error", "Card 1 went to seat 2, it was due at seat 1.", rule="19.1(c)", says=SAYS)
    )
    view.take(finding(5, "repairable", "It can be put right: card 1 to seat 1.", rule="19.1(c)", says=SAYS))
    return view


def test_an_alert_names_the_card_the_rule_and_what_can_be_done(view: View) -> None:
    text = " ".join(drawn(view).split())
    assert "Card 6 went to seat 1, it was due at seat 7 (19.1(c))." in text
    assert "rule 19.1(c): cards dealt out of order" in text
    assert "> It can be put right: card 6 to seat 7, card 7 to seat 1" in text
    assert f"{LOOKS[LightState.ATTENTION].symbol} ATTENTION" in drawn(view)
    assert "shoe-bridge.finding.raised" in text
    assert "hand 1 VERIFIED" in text


def test_no_card_is_ever_named(view: View) -> None:
    words = set(re.findall(r"\w+", drawn(view)))
    assert not words & set(STANDARD_52)
    assert [seat.cards for seat in view.seats if seat.is_in] == [2] * 6


def test_the_picture_is_the_same_each_time(view: View, tmp_path: Path) -> None:
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    terminal.export_svg(view, first)
    assert terminal.main([str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()
    assert first.read_text().startswith("<svg")


def test_a_picture_that_cannot_be_written_is_one_sentence(
    view: View, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="choose a folder you may write"):
        terminal.export_svg(view, tmp_path / "none" / "x.svg")
    assert terminal.main([]) == 2
    assert "FILE.svg" in capsys.readouterr().err


@pytest.mark.parametrize("state", list(LightState))
def test_each_light_is_told_by_word_and_symbol(state: LightState) -> None:
    view = View("t-1", "holdem", 3)
    view.take({"type": "light", "state": state.value})
    assert f"{LOOKS[state].symbol} {LOOKS[state].word}" in drawn(view)


def test_advice_of_the_hand_stands_in_the_alert() -> None:
    view = told_view()
    view.look(table_state(), open_game("holdem"))
    (alert,) = view.alerts
    assert [each.rule for each in alert.findings] == ["19.1(c)"]
    assert alert.to_do == ("It can be put right: card 1 to seat 1.",)
    assert view.devices == {"reader-1": "verified", "keys-1": "lost or not proven"}
    assert view.next_place == "seat 1"


@pytest.mark.parametrize(
    ("status", "cause", "word"),
    [("settled", "deal", "put right"), ("raised", "equipment: link_lost reader-1", "reader")],
)
def test_what_can_be_done_follows_the_alert(status: str, cause: str, word: str) -> None:
    view = told_view()
    view.look(table_state(status, cause), open_game("holdem"))
    assert word in view.alerts[0].to_do[0]
    assert "acknowledge" in drawn(view)


def test_a_finding_in_doubt_says_so_and_stops_no_game() -> None:
    view = View("t-1", "holdem", 3)
    view.take(finding(4, "order_error", "Card 1 went astray.", certainty="probable", probability=0.82))
    state = table_state()
    (alert,) = state.alerts.open
    state = replace(state, standing=(replace(state.standing[0], certainty="probable"),))
    view.look(replace(state, alerts=Alerts((replace(alert, severity="notice"),), 2)), open_game("holdem"))
    assert view.alerts[0].findings[0].sentence == "Probably (82 %): Card 1 went astray."
    assert "not certain" in view.alerts[0].to_do[0]
    assert "Stop" not in view.alerts[0].to_do[0]


def test_that_one_of_the_errors_was_made_stops_the_game() -> None:
    view = View("t-1", "holdem", 3)
    view.take(finding(4, "order_error", "Card 1 went astray.", certainty="probable", probability=0.82))
    state = table_state()
    state = replace(state, standing=(replace(state.standing[0], certainty="probable"),))
    view.look(state, open_game("holdem"))
    assert view.alerts[0].severity == "attention"
    assert view.alerts[0].to_do[0].startswith("One of these errors was made: stop the deal")


def test_what_was_never_certain_was_not_put_right() -> None:
    view = told_view()
    alert = Alert(1, 3, "deal", "notice", "settled", (), (4,))
    view.look(replace(fresh_state(), alerts=Alerts((alert,), 2)), open_game("holdem"))
    assert "put right" not in view.alerts[0].to_do[0]
    assert "acknowledge" in view.alerts[0].to_do[0]


def test_what_must_be_looked_at_is_what_can_be_done() -> None:
    view = told_view()
    view.take(finding(6, "look_at", "Lift the cards at seat 4 and lay them down again."))
    state = table_state()
    state = replace(state, standing=(state.standing[0], Standing(6, LookAt("seat 4"), 3)))
    view.look(state, open_game("holdem"))
    assert view.alerts[0].to_do == ("Lift the cards at seat 4 and lay them down again.",)


@pytest.mark.parametrize(("follows", "does_close"), [((), True), ((4,), False)])
def test_to_acknowledge_is_told_only_where_it_closes(follows: tuple[int, ...], does_close: bool) -> None:
    """A device's alert that also holds findings of the deal is the supervisor's."""
    view = told_view()
    alert = Alert(
        1, 3, "equipment: reader-1", "attention", "raised", ((4, "attention"),), (4,), follows=follows
    )
    alerts = Alerts((alert,), 2)
    state = table_state()
    view.look(replace(state, alerts=alerts), open_game("holdem"))
    assert ("acknowledge" in view.alerts[0].to_do[0]) is does_close
    assert ("supervisor" in view.alerts[0].to_do[0]) is not does_close
    assert any(told.what == "closed" for told in acknowledge(alerts, 9)[1]) is does_close


def test_without_advice_the_supervisor_decides() -> None:
    view = told_view()
    state = table_state(cause="a cause of later days")
    view.look(replace(state, standing=()), open_game("holdem"))
    assert "supervisor decides" in view.alerts[0].to_do[0]


def test_a_finding_of_an_earlier_run_points_to_the_journal() -> None:
    view = View("t-1", "holdem", 3)
    view.look(table_state(), open_game("holdem"))
    assert "earlier run" in view.alerts[0].findings[0].sentence


def test_a_defect_of_the_deck_is_shown_without_the_card() -> None:
    view = View("t-1", "holdem", 3)
    view.take(finding(4, "deck_defect", "9d is in the deck twice.", reason="duplicate", card="9d", rule=None))
    view.look(table_state(cause="deck"), open_game("holdem"))
    assert view.alerts[0].findings[0].sentence
    assert "9d" not in drawn(view)


def test_lamps_feed_and_script_are_shown() -> None:
    view = View("t-1", "holdem", 3)
    view.take({"type": "lamp", "light": "dealer", "shown": "all_well", "trouble": None})
    view.take({"type": "lamp", "light": "tower", "shown": None, "trouble": "light tower is not connected"})
    view.take({"type": "hand", "number": 1, "script": "missing_burn"})
    for seq in range(1, 9):
        data = {"finding": {"kind": "missing_burn"}}
        view.take({"type": "feed", "event": {"seq": seq, "type": "shoe-bridge.finding.raised", "data": data}})
    view.take({"type": "a type of later days"})
    text = drawn(view)
    assert "dealer: all well" in text
    assert "tower: light tower is not connected" in text
    assert "a hand with a slip: missing_burn" in text
    assert "feed, 8 events" in text
    assert "   8 shoe-bridge.finding.raised missing_burn" in text
    assert "   3 shoe-bridge" not in text


def test_a_withdrawn_finding_is_kept_and_marked() -> None:
    view = told_view()
    alert = Alert(1, 3, "deal", "attention", "raised", ((5, "attention"),), (4, 5))
    view.look(replace(fresh_state(), alerts=Alerts((alert,), 2)), open_game("holdem"))
    assert [each.is_withdrawn for each in view.alerts[0].findings] == [True, False]


def test_what_was_not_wholly_seen_says_so() -> None:
    view = View("t-1", "holdem", 3)
    view.look(replace(fresh_state(), unverified=("reader-1 was lost",)), open_game("holdem"))
    assert "UNVERIFIED (reader-1 was lost)" in drawn(view)


def test_what_is_waited_for_is_told_whole_until_it_has_come(view: View) -> None:
    sentence = f"shoe-1 is listened to only: draw a card {'and look at it ' * 20}"
    view.take({"type": "waiting", "device": "shoe-1", "text": sentence})
    told = " ".join(drawn(view).replace("│", " ").split())
    assert " ".join(sentence.split()) in told
    view.take({"type": "waiting", "device": "shoe-1", "text": None})
    assert "listened to only" not in drawn(view)
