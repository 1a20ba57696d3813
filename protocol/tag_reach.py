"""Which identities a device of each kind can name: a deck whose tags it cannot is never read there.

| kind | bytes of an identity |
|---|---|
| tablelink | 4, 7, 8, 10 |
| pepper_c1 | 4 to 10 |
| feig_obid | 4, 7, 8, 10 (ISO 14443, 15693), 5 (I-Code UID), and EPCs |
| pn532 | 4, 7, 10 (ISO 14443 A) |
| yrm100, r2000 | EPCs: whole words of two bytes, up to 62 |
| text_line | what the lines of its program can say |
| hid_keyboard | what its rule makes of the typed text; without a rule the characters of a text |

The sizes are those of the layouts; the sources stand on the page of each kind in `spec/`.
"""

from collections.abc import Iterable, Sequence

from protocol import hid_rule, pepper_layout, pn532_layout, r2000_layout, tablelink_layout, yrm100_layout
from protocol.line_pattern import DECIMAL_GROUPS, LinePattern, line_pattern
from protocol.tag_text import CHECKED_SIZE, TAG_SIZES
from protocol.text_encode import card_named_by, encode_line
from protocol.text_presets import names_antenna

EPC_SIZES = r2000_layout.EPC_SIZES
ICODE_UID_SIZE = 5
_SIZES: dict[str, frozenset[int]] = {
    "tablelink": frozenset(tablelink_layout.UID_SIZES),
    "pepper_c1": frozenset(pepper_layout.UID_SIZES),
    "feig_obid": frozenset((*TAG_SIZES, ICODE_UID_SIZE, *EPC_SIZES)),
    "pn532": frozenset(pn532_layout.UID_SIZES),
    "yrm100": frozenset(yrm100_layout.EPC_SIZES),
    "r2000": frozenset(EPC_SIZES),
}


def can_name(
    kind: str,
    tag: str,
    *,
    antennas: Sequence[int] = (),
    preset: str | None = None,
    patterns: Sequence[str] = (),
    typed: str | None = None,
) -> bool:
    """Whether a device of `kind` can say that it read `tag` (upper-case hex, whole bytes) at each of its
    `antennas`. `preset`, `patterns` and `typed` are the device's own; they are good ones. A kind that reads
    no tags can name any."""
    raw = bytes.fromhex(tag)
    if kind == "text_line":
        own = tuple(line_pattern(source) for source in patterns)
        return _fits_patterns(raw, own) if own else _is_printed(preset or "auto", raw, antennas)
    if kind == "hid_keyboard":
        if typed is None:
            return raw.decode("latin-1").isprintable() and raw.isascii()
        rule = hid_rule.typed_rule(typed)
        return hid_rule.tag_typed(hid_rule.text_of(tag, rule), rule) == tag
    sizes = _SIZES.get(kind)
    return sizes is None or len(raw) in sizes


def _is_printed(preset: str, raw: bytes, antennas: Sequence[int]) -> bool:
    """Whether the program prints the tag, with its antenna where there are several."""
    if preset == "beddofabrik" and len(antennas) > 1 and card_named_by(raw) is None:
        return False  # its decimals name no reader, its lines of JSON name cards only
    if len(antennas) > 1 and not names_antenna(preset):
        return False
    try:
        for antenna in antennas or (0,):
            encode_line(preset, raw.hex(), antenna)
    except ValueError:
        return False
    return True


def _fits_patterns(raw: bytes, patterns: Iterable[LinePattern]) -> bool:
    """Whether some pattern has a group that such a tag can stand in. How long the text in a group of hex may
    be is for the pattern to say, and is not asked."""
    groups = {name for pattern in patterns for name in pattern.regex.groupindex}
    if "card" in groups and card_named_by(raw) is not None:
        return True
    sizes = set(TAG_SIZES) if groups & {"uid", "bytes"} else set()
    sizes |= {
        min(TAG_SIZES) if size == CHECKED_SIZE else size
        for name, size in DECIMAL_GROUPS.items()
        if name in groups
    }
    return len(raw) in sizes
