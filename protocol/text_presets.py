"""The lines of the public projects, by project: one pattern for each line that tells of a card.

`auto` is all of them. `CHATTER` are lines that these programs print besides, and that tell nothing: where one
is known it is no sign of a damaged line.
"""

from collections.abc import Iterable

from protocol.line_pattern import LinePattern, line_pattern

_HEX = r"[0-9A-Fa-f]{2}"
_PAIRS = rf"(?P<uid>{_HEX}(?: {_HEX}){{3,9}})"
_RUN = rf"(?P<uid>(?:{_HEX}){{4,10}})"
_CARD = r"(?P<card>(?:[2-9TJQKA1]|10)[SHDCshdc])"
_MS = r"[0-9]{1,7}(?:\.[0-9]{1,3})?"

_SOURCES: dict[str, tuple[str, ...]] = {
    # whywaita/rfid-poker: M5Stack Atom behind an I2C multiplexer, channels 0 to 7
    "whywaita": (rf"\[Channel\] (?P<antenna>[0-9]{{1,3}}) \[UID: {_PAIRS}\]",),
    # DubsA/RFID_Poker_Table: Arduino; players from 0 in the short line, from 1 in words
    "dubsa": (
        rf"(?P<player>[0-9]{{1,2}}) [0-9] {_CARD} {_MS} {_MS}",
        rf"Player (?P<player>[0-9]{{1,2}}) Card: {_CARD}",
        rf"Player (?P<player>[0-9]{{1,2}}) Card UID: {_PAIRS}",
    ),
    # TeamLemonPie/BeddoFabrik: five decimals, four bytes and their BCC (its JSON is `text_json`'s)
    "beddofabrik": (r"(?P<bytes>[0-9]{1,3}(?:-[0-9]{1,3}){4})",),
    # WohligTechnology/usb: nothing but hex pairs
    "wohlig": (rf"(?P<uid>{_HEX}(?: {_HEX}){{3,9}})",),
    # AlexHedley/poker-recording: the same identity twice, the second time in one run
    "hedley": (rf"In hex: {{1,4}}{_PAIRS}", _RUN),
    # panstenos/Poker-RFID-hand-tracker: SimpleMFRC522's integer of four bytes and their BCC
    "panstenos": (r"(?P<dec5>[0-9]{1,13})",),
    # the example that comes with the Arduino library MFRC522
    "arduino": (rf"(?:Card )?UID: ?{_PAIRS}", rf"(?:Card )?UID tag ?: ?{_PAIRS}"),
}
JSON_PRESETS = ("auto", "beddofabrik", "whywaita")

PRESETS: dict[str, tuple[LinePattern, ...]] = {
    name: tuple(line_pattern(source) for source in sources) for name, sources in _SOURCES.items()
}
PRESETS["auto"] = tuple(
    {pattern.source: pattern for patterns in PRESETS.values() for pattern in patterns}.values()
)
DEFAULT_PRESET = "auto"
# Programs that print a tag's line again and again while it stays: panstenos', whose SimpleMFRC522
# selects the tag anew at each call. The others print it once: they halt the tag that they have read (dubsa,
# hedley, arduino), keep what they have told (beddofabrik, whywaita for 30 s), or have a host that serves a
# card for each line (wohlig). Of a program that nobody has named (auto, patterns) the former is assumed.
_REPEATING = (DEFAULT_PRESET, "panstenos")


def is_repeated(preset: str | None) -> bool:
    """Whether the program of that preset (None: none is named) prints a line again while its tag stays."""
    return (preset or DEFAULT_PRESET) in _REPEATING


def names_antenna(preset: str | None, patterns: Iterable[LinePattern] = ()) -> bool:
    """Whether any line of the preset, or of these patterns instead of one, says at which antenna a tag is."""
    own = tuple(patterns)
    if not own and (preset or DEFAULT_PRESET) in JSON_PRESETS:
        return True
    return any(
        not {"antenna", "player"}.isdisjoint(pattern.regex.groupindex)
        for pattern in own or PRESETS[preset or DEFAULT_PRESET]
    )


# beginnings of lines
CHATTER = (
    "Card SAK:",
    "PICC type:",
    "Scan PICC",
    "MFRC522 Software Version:",
    "Firmware Version:",
    "Warning:",
    "Board ",
    "All players have",
    "Hand Complete",
    "I (",
    "W (",
    "ets ",
    "rst:",
    "configsip:",
    "clk_drv:",
    "mode:",
    "load:",
    "entry ",
)
