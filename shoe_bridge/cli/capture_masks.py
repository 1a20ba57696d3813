"""What is masked in a capture beside the frames: what people wrote into it, and what befell the port.

Header lines are kept where the program itself wrote them and they still look so; a remark of somebody's own
may say anything. What happened is kept as a phrase without addresses, names of ports and quoted words.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from protocol.codec import CODECS

SHORTEST_TAG = 4  # bytes; less stands in many a text by chance
_JOIN = rb"[^0-9A-Za-z]{1,4}"
# numbers with anything but letters between them: the bytes of a tag as 0x04, 0xA1 or 4.161 or 04A1-B2C3
_NUMBER = rb"(?:0[xX])?[0-9A-Fa-f]{1,20}(?![0-9A-Za-z])"
_NUMBERS = re.compile(rb"(?<![0-9A-Za-z])" + _NUMBER + rb"(?:" + _JOIN + _NUMBER + rb")+")
_ONE = re.compile(rb"(?:0[xX])?([0-9A-Fa-f]+)")
# and such of which four and more stand side by side
_SPELT = re.compile(r"\b(?:0[xX])?[0-9A-Fa-f]{1,3}(?:[^0-9A-Za-z]{1,4}(?:0[xX])?[0-9A-Fa-f]{1,3}\b){3,}")

_VERSION = r"[0-9]{1,4}\.[0-9]{1,4}(?:\.?[0-9A-Za-z+-]{1,12}){0,4}"
_HEADER = {
    "line": re.compile(r"[0-9]{1,7} [NEO]"),
    "mode": re.compile(r"listening only|asked as the bridge asks it"),
    "shoe-bridge": re.compile(_VERSION),
    "python": re.compile(_VERSION),
    "system": re.compile(rf"[A-Za-z]{{1,12}} {_VERSION} [a-z][0-9a-z_]{{1,11}}"),
    "began": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"),
}

_IPV4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
_MASKS = (
    (re.compile(r"'[^']*'|\"[^\"]*\""), "'...'"),
    (re.compile(r"\b[A-Za-z0-9]+://[^\s,;]+"), "PORT"),
    (re.compile(r"\b(?:usb|match)[:@][^\s,;]+"), "PORT"),
    (re.compile(r"(?<![\w.])/[^\s,;]+"), "PORT"),
    (
        re.compile(rf"(?<![\w:])(?:[0-9A-Fa-f]{{0,4}}:){{2,7}}(?:{_IPV4}|[0-9A-Fa-f]{{0,4}})(?:%\w+)?"),
        "ADDRESS",
    ),
    (re.compile(rf"(?<![\w.]){_IPV4}(?![\w.]*[0-9])"), "ADDRESS"),
    (re.compile(r"\b(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{8,}\b"), "NUMBER"),
    (_SPELT, "NUMBER"),
)


def known_header(header: dict[str, str]) -> dict[str, str]:
    """The lines of `header` that tell of the recording and of nobody, in their order; that of the port is
    masked."""
    kept = {}
    for key, value in header.items():
        form = _HEADER.get(key)
        if (form is not None and form.fullmatch(value)) or (key == "device" and value in CODECS):
            kept[key] = value
        elif key == "port":
            kept[key] = "redacted"
    return kept


def masked_phrase(text: str, port: str) -> str:
    """What happened, without the `port` of the recording, its host, addresses, and numbers like those of
    tags."""
    for name in filter(None, (port, _host_of(port))):
        text = text.replace(name, "PORT")
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


def spelt_bytes(data: bytes) -> Iterator[bytes]:
    """Each run of numbers in the text `data` that may be the bytes of a tag, read as hex and as decimal
    numbers, whatever stands between them."""
    for run in _NUMBERS.finditer(data):
        words = [found[1] for found in _ONE.finditer(run[0])]
        for read in (_hex_bytes, _decimal_byte):
            spelt = bytearray()
            for word in words:
                part = read(word)
                if part is not None:
                    spelt += part
                    continue
                if len(spelt) >= SHORTEST_TAG:
                    yield bytes(spelt)
                spelt.clear()
            if len(spelt) >= SHORTEST_TAG:
                yield bytes(spelt)


def _hex_bytes(word: bytes) -> bytes | None:
    """`4` and `04` are one byte, `04A1` is two; three digits are none."""
    if len(word) % 2 and len(word) > 1:
        return None
    return bytes.fromhex(word.decode().zfill(2))


def _decimal_byte(word: bytes) -> bytes | None:
    is_byte = len(word) <= 3 and word.isdigit() and int(word) <= 255
    return bytes([int(word)]) if is_byte else None


def _host_of(port: str) -> str | None:
    try:
        return urlsplit(port).hostname if "://" in port else None
    except ValueError:
        return None
