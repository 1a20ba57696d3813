"""Files of the rule book: those that come with this build, and a house's own, which may extend one of them.

A file that `extends` another says only what differs: tables are laid over each other key by key, lists and
single values take the place of what was there.
"""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from shoe_bridge.errors import ConfigError
from shoe_bridge.toml_file import read_document, read_text, refuse
from shoe_bridge.toml_schema import Complaint, near_miss, shown, words

EXTENDS = "extends"
_PACKAGE = "shoe_bridge.rules"


class Source(msgspec.Struct, frozen=True):
    """One file as it was read: `document` is laid over the files that it extends, `text` is its own.
    `bases` are the names of those that came with this build, the nearest first."""

    path: Path
    text: str
    document: dict[str, Any]
    is_built_in: bool
    bases: tuple[str, ...]


def is_path(name: str) -> bool:
    """Is it the path of a house's file, as against the name of one that comes with this build?"""
    return name.endswith(".toml") or "/" in name


def names_in(folder: str) -> tuple[str, ...]:
    """The files of that folder that come with this build, by name."""
    files = resources.files(_PACKAGE).joinpath(folder).iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def read_source(name: str, folder: str, what: str) -> Source:
    """The file of that name or path with all that it extends. ConfigError (file, line, reason) for one that
    is not there, is not TOML, or extends itself by whatever way."""
    return _read(path_of(name, folder, what), folder, what, ())


def path_of(name: str, folder: str, what: str) -> Path:
    if is_path(name):
        return Path(name).absolute()
    known = names_in(folder)
    if name not in known:
        near = near_miss(name, known).rstrip("?")
        raise ConfigError(f"there is no {what} {name!r}: choose one of {', '.join(known)}{near}")
    return Path(str(resources.files(_PACKAGE).joinpath(folder, f"{name}.toml")))


def refuse_in(source: Source, found: list[Complaint]) -> None:
    """ConfigError for the complaint that stands first in the file; nothing if there is none."""
    refuse(found, source.text, source.path)


def _read(path: Path, folder: str, what: str, above: tuple[Path, ...]) -> Source:
    text = read_text(path, what, f"name one of {', '.join(names_in(folder))} or the path of a {what} file")
    document = read_document(text, path, f"a {what}")
    home = Path(str(resources.files(_PACKAGE).joinpath(folder)))
    is_built_in = path.parent == home

    def complain(sentence: str) -> ConfigError:
        try:
            refuse([Complaint((EXTENDS,), sentence)], text, path)
        except ConfigError as error:
            return error
        raise AssertionError("a complaint is always refused")

    extended = document.pop(EXTENDS, None)
    if extended is None:
        return Source(path, text, document, is_built_in, (path.stem,) if is_built_in else ())
    if not isinstance(extended, str) or not extended:
        raise complain(f"extends is {shown(extended)}, expected a name or a path in quotes")
    below = _below(extended, path, folder, complain)
    if below in (path, *above):
        chain = words([*(str(each) for each in (*above, path)), str(below)], "and")
        raise complain(f"extends goes round in a cycle, {chain}, expected a file that stands by itself")
    base = _read(below, folder, what, (*above, path))
    bases = (path.stem, *base.bases) if is_built_in else base.bases
    return Source(path, text, laid_over(base.document, document), is_built_in, bases)


def _below(extended: str, path: Path, folder: str, complain: Callable[[str], ConfigError]) -> Path:
    if is_path(extended):
        below = (path.parent / extended).resolve()
        if not below.is_file():
            raise complain(f"extends names {below}, which does not exist, expected a name or a path")
        return below
    known = names_in(folder)
    if extended not in known:
        raise complain(f"extends is {shown(extended)}, expected {words(known)} or a path")
    return Path(str(resources.files(_PACKAGE).joinpath(folder, f"{extended}.toml")))


def laid_over(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`over` on top of `base`, tables key by key."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        is_table = isinstance(value, dict) and isinstance(below, dict)
        merged[key] = laid_over(below, value) if is_table else value  # type: ignore[arg-type]
    return merged
