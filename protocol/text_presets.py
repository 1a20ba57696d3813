"""The lines of the public projects, by project: one pattern for each line that tells of a card.

`auto` is all of them. `CHATTER` are lines that these programs print besides, and that tell nothing: where one
is known it is no sign of a damaged line.
"""

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
