"""The lines that the programs of public projects print, for a simulated reader and for tests.

    whywaita     [Channel] 0 [UID: 04 0e 3b d2 28 6b 85]
    dubsa        Player 2 Card UID: 04 A1 B2 C3, or Player 2 Card: As
    beddofabrik  154-98-11-133-118, or {"scope":"READER","command":"card","key":8,"value":"HA"}
    wohlig       04 06 B9 02 0A 54 81
    hedley       In hex:  04 0e 3b d2 28 6b 85, and a second line with the same in one run
    panstenos    455787185656
    arduino      Card UID: 04 A1 B2 C3

A tag of two bytes that are the characters of a card's name (`4173` for As) stands for what such a program
calls by the card alone; the form says then which of its lines it is. Sources: `spec/text_line.md`.
"""

from collections.abc import Callable

from protocol.checksums import xor8
from protocol.tag_text import TAG_SIZES, card_of_text

CHECKED_BYTES = 4  # what a program prints with a block check behind it
MOST_PLAYER = 99  # two digits
Say = Callable[[bytes, int], tuple[str, ...]]


def _whywaita(raw: bytes, antenna: int) -> tuple[str, ...]:
    return (f"[Channel] {antenna} [UID: {_whole(raw).hex(' ')}]",)


def _dubsa(raw: bytes, antenna: int) -> tuple[str, ...]:
    if antenna > MOST_PLAYER:
        raise ValueError(f"dubsa prints players up to {MOST_PLAYER}, not {antenna}")
    card = card_named_by(raw)
    if card is not None:
        return (f"Player {antenna} Card: {card}",)
    return (f"Player {antenna} Card UID: {_whole(raw).hex(' ').upper()}",)


def _beddofabrik(raw: bytes, antenna: int) -> tuple[str, ...]:
    card = card_named_by(raw)
    if card is not None:
        value = (card[1] + card[0]).upper()
        return (f'{{"scope":"READER","command":"card","key":{antenna},"value":"{value}"}}',)
    return ("-".join(map(str, _checked("beddofabrik", raw))),)


def _wohlig(raw: bytes, antenna: int) -> tuple[str, ...]:
    del antenna
    return (_whole(raw).hex(" ").upper(),)


def _hedley(raw: bytes, antenna: int) -> tuple[str, ...]:
    del antenna
    return (f"In hex:  {_whole(raw).hex(' ')}", raw.hex())


def _panstenos(raw: bytes, antenna: int) -> tuple[str, ...]:
    del antenna
    return (str(int.from_bytes(_checked("panstenos", raw), "big")),)


def _arduino(raw: bytes, antenna: int) -> tuple[str, ...]:
    del antenna
    return (f"Card UID: {_whole(raw).hex(' ').upper()}",)


def _auto(raw: bytes, antenna: int) -> tuple[str, ...]:
    """As the first program that can say it."""
    for say in _SAY.values():
        try:
            return say(raw, antenna)
        except ValueError:
            continue
    raise ValueError(f"no public program prints a tag of {len(raw)} bytes such as {raw.hex().upper()}")


_SAY: dict[str, Say] = {
    "whywaita": _whywaita,
    "dubsa": _dubsa,
    "beddofabrik": _beddofabrik,
    "wohlig": _wohlig,
    "hedley": _hedley,
    "panstenos": _panstenos,
    "arduino": _arduino,
}
FORMS: tuple[str, ...] = tuple(_SAY)


def encode_line(form: str, tag: str, antenna: int = 0, end: bytes = b"\r\n") -> bytes:
    """What a reader prints for `tag` (hex) at `antenna` in the form of a preset: one line, of `hedley` two.
    `auto` is the first of `FORMS` that can say it. Raises ValueError where the form cannot say it."""
    say = _auto if form == "auto" else _SAY.get(form)
    if say is None:
        raise ValueError(f"no line of {form!r} is printed here: use one of {', '.join((*FORMS, 'auto'))}")
    return b"".join(line.encode("ascii") + end for line in say(bytes.fromhex(tag), antenna))


def card_named_by(raw: bytes) -> str | None:
    """The card whose name the bytes are, as a register writes cards; None for any other identity."""
    text = raw.decode("latin-1")
    return text if len(raw) == 2 and card_of_text(text) == text else None


def _whole(raw: bytes) -> bytes:
    if len(raw) not in TAG_SIZES:
        raise ValueError(f"such a program prints tags of 4, 7, 8 or 10 bytes, not the {len(raw)} here")
    return raw


def _checked(form: str, raw: bytes) -> bytes:
    """The identity and its block check BCC."""
    if len(raw) != CHECKED_BYTES:
        raise ValueError(
            f"{form} prints four bytes and their check, not the {len(raw)} of {raw.hex().upper()}"
        )
    return raw + bytes([xor8(raw)])
