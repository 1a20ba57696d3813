"""Reads a TOML file into a struct, or says in one sentence what is wrong with it: file, line, reason."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from shoe_bridge.errors import ConfigError
from shoe_bridge.plain_file import NotPlainError, read_plain
from shoe_bridge.toml_lines import key_lines, line_of
from shoe_bridge.toml_schema import Complaint, schema_complaints

T = TypeVar("T")

CONFIGURATION, REGISTER, SCENARIO = "the configuration of a table", "a deck register", "a scenario"
GAME, PROFILE = "the file of a game", "a rule profile"
# the key that only a file of that kind has at its top level; a scenario has some of the others too
_MARKS = (
    ("steps", SCENARIO),
    ("table", CONFIGURATION),
    ("device", CONFIGURATION),
    ("deck", REGISTER),
    ("passes", GAME),
    ("rules", PROFILE),
)
_MARK = "\ufeff"  # editors of other systems put it before a text, and some put it again


def read_text(path: Path, what: str, fix: str) -> str:
    """The text of the file; ConfigError names `what` it is, and says how to `fix` one that is not there."""
    try:
        raw = read_plain(path)
    except NotPlainError as error:
        raise ConfigError(f"The {what} {path} is no such file ({error}): name a TOML file.") from None
    except FileNotFoundError:
        raise ConfigError(f"The {what} {path} does not exist: {fix}.") from None
    except IsADirectoryError:
        raise ConfigError(f"The {what} {path} is a folder: name the TOML file in it.") from None
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise ConfigError(
            f"The {what} {path} cannot be read ({reason}): make it readable for this user, for example"
            f" with `sudo chmod o+r {path}`."
        ) from None
    try:
        return raw.decode("utf-8").lstrip(_MARK)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: a byte 0x{raw[error.start]:02X} is not UTF-8 text: save the file as UTF-8."
        ) from None


def read_document(text: str, path: Path, expected: str) -> dict[str, Any]:
    """The values of a TOML text; ConfigError where it is none, or is empty (`expected` says what was due)."""
    if not text.strip():
        raise ConfigError(f"{path}, line 1: the file is empty, expected {expected}.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, line = _toml_place(str(error), text)
        raise ConfigError(f"{path}, line {line}: this is not TOML: {what}.") from None
    except RecursionError:
        raise ConfigError(f"{path}: brackets are nested too deep in it: write plain values.") from None
    except ValueError:  # Python reads no whole number of more than some thousand digits
        raise ConfigError(f"{path}: a number in it has thousands of digits: write a plain one.") from None


def refuse_foreign(document: Mapping[str, Any], path: Path, expected: str) -> None:
    """ConfigError where the document is another file of ours than `expected`, one of the names above."""
    found = next((what for key, what in _MARKS if key in document), expected)
    if found != expected:
        raise ConfigError(f"{path}: this is {found}, expected {expected}: name the right file.")


def fit(
    document: dict[str, Any],
    schema: type[T],
    text: str,
    path: Path,
    examples: Mapping[str, str],
    found: Sequence[Complaint] = (),
) -> T:
    """The document as that struct; ConfigError at the first place in `text` where it does not fit, or where
    something was `found` to be wrong already."""
    refuse([*found, *schema_complaints(document, schema, examples)], text, path)
    return msgspec.convert(document, schema, str_keys=True, dec_hook=lambda kind, value: kind(value))


def refuse(found: list[Complaint], text: str, path: Path) -> None:
    """Raises for the complaint that stands first in the file; nothing if there is none."""
    if not found:
        return
    lines = key_lines(text)
    line, sentence = min((line_of(lines, complaint.path), complaint.sentence) for complaint in found)
    raise ConfigError(f"{path}, line {line}: {sentence}.")


def _toml_place(said: str, text: str) -> tuple[str, int]:
    """tomllib's `What (at line 3, column 7)` or `What (at end of document)`, taken apart."""
    what, _, where = said.rpartition(" (at ")
    number = re.search(r"line (\d+)", where)
    line = int(number[1]) if number else text.rstrip("\n").count("\n") + 1
    return (what[:1].lower() + what[1:], line)
