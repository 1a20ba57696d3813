"""Keyboard-wedge readers: USB readers that type a tag's identity as a keyboard would. Sources:
`spec/hid_keyboard.md`.

Line     reports of one size (3, 8 or 9 bytes), see `hid_reports` | the report with Enter | its release

The text is kept as it was typed. Which tag it names is said only where a rule is configured: see `hid_rule`.
"""

from collections.abc import Callable
from functools import partial

import msgspec

from protocol.envelopes import HID_KEYBOARD, ReportsEnvelope
from protocol.hid_reports import LAYOUTS, Layout, is_line, one_by_one, reports_of, typed
from protocol.hid_rule import TypedRule, tag_typed, text_of, typed_rule
from protocol.messages import Decoded, Failure, HostCommand, Reason, TagSeen, TypedLine

__all__ = [
    "ENVELOPES",
    "decode",
    "decoder_of",
    "encode_command",
    "encode_tag",
    "encode_text",
    "envelopes_of",
]

ENVELOPES = (HID_KEYBOARD,)
LONGEST_TEXT = 40  # with three reports for each key, so many more are dropped unread

Decode = Callable[[str, bytes], Decoded | Failure]


def decoder_of(rule: str | None = None) -> Decode:
    """The `decode` of a reader whose typed tags follow `rule` (None: the text is all that is known). Raises
    ValueError on a rule that there is not."""
    return partial(_decode, None if rule is None else typed_rule(rule))


def _decode(rule: TypedRule | None, envelope_name: str, body: bytes) -> Decoded | Failure:
    if envelope_name != HID_KEYBOARD.name:
        return Failure(Reason.UNKNOWN_ID, f"no body of {envelope_name}")
    if not body:
        return Failure(Reason.TOO_SHORT, "no report")
    text = _text(body)
    if text is None:
        return Failure(Reason.IMPLAUSIBLE, "no reports of a keyboard reader")
    if len(text) > LONGEST_TEXT:
        return Failure(Reason.TOO_LONG, f"more than {LONGEST_TEXT} characters in one line")
    line = TypedLine(text)
    if rule is None:
        return Decoded((line,))
    tag = tag_typed(text, rule)
    return Decoded((line,)) if isinstance(tag, Failure) else Decoded((line, TagSeen(tag)))


_LAYOUTS = [LAYOUTS[name] for name in HID_KEYBOARD.layouts]
_quick_text = one_by_one(_LAYOUTS[0])


def _text(body: bytes) -> str | None:
    text = _quick_text(body)
    if text is not None:
        return text
    for layout in _LAYOUTS:
        found = typed(layout, body)
        if found is not None and is_line(layout, found):
            return found.text
    return None


decode: Decode = decoder_of()


def envelopes_of(layout: str) -> tuple[ReportsEnvelope, ...]:
    """The envelopes of a reader that is known to send reports of one layout. Raises ValueError on a layout
    that there is not."""
    _layout(layout)
    return (msgspec.structs.replace(HID_KEYBOARD, layouts=(layout,)),)


def encode_command(command: HostCommand) -> bytes:
    """Raises ValueError: such a reader takes no commands."""
    raise ValueError(f"a hid_keyboard reader has no command {command.command!r}")


def encode_text(text: str, layout: str = "boot", *, has_enter: bool = True) -> bytes:
    """The reports that type `text`, in one of the layouts of `hid_reports`."""
    return reports_of(text, _layout(layout), has_enter=has_enter)


def encode_tag(tag: str, rule: str, layout: str = "boot", *, has_enter: bool = True) -> bytes:
    """The reports of a reader of `rule` that types `tag` and Enter."""
    return encode_text(text_of(tag, typed_rule(rule)), layout, has_enter=has_enter)


def _layout(name: str) -> Layout:
    if name not in LAYOUTS:
        raise ValueError(f"there is no layout {name!r} of reports: use one of {', '.join(LAYOUTS)}")
    return LAYOUTS[name]
