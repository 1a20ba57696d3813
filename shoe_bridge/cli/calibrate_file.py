"""Writes a corrected map into the text of a configuration, with its comments and its order kept.

Only the maps and names that changed are touched. The new text is read again before it is given out: unless it
says exactly what it should, there is none.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoe_bridge.errors import ConfigError
from shoe_bridge.runtime.config import DeviceConfig, TableConfig, parse
from shoe_bridge.runtime.config_keys import key_words
from shoe_bridge.sim.toml_text import as_toml
from shoe_bridge.toml_lines import KeyPath, key_lines

_STRING = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'"
_INLINE = re.compile(rf"(\{{)(?:[^{{}}\"'#]|{_STRING})*(\}})")
_ENTRY = re.compile(rf"(\s*(?:\w+\s*\.\s*)?)(?:\"\w+\"|'\w+'|\w+)(\s*=\s*)(?:{_STRING})(.*)", re.DOTALL)
_MAPS = ("antennas", "keys")


def _written(device: DeviceConfig, key: str) -> dict[str, str]:
    """One of the maps of a device as the file has it."""
    if key == "keys":
        return key_words(device.kind, device.keys)
    return {str(number): name for number, name in device.antennas.items()}


def with_maps(text: str, path: Path, new: TableConfig) -> str | None:
    """The text of the configuration at `path` with the maps and the light names of `new`; None where that
    cannot be done without writing the file anew."""
    lines = text.splitlines(keepends=True)
    old = parse(text, path)
    for number, (was, now) in enumerate(zip(old.devices, new.devices, strict=True)):
        for key in _MAPS:
            before, after = _written(was, key), _written(now, key)
            if before != after and not _set_map(lines, ("device", number, key), before, after):
                return None
    for number, (light, other) in enumerate(zip(old.lights, new.lights, strict=True)):
        if light.name != other.name and not _set_name(lines, ("light", number, "name"), other.name):
            return None
    changed = "".join(lines)
    return changed if _says(changed, path, new) else None


def written_anew(text: str, new: TableConfig) -> str:
    """The configuration as a text of its own, without comments."""
    document: dict[str, Any] = tomllib.loads(text)
    for box, device in zip(document.get("device", []), new.devices, strict=True):
        for key in _MAPS:
            if key in box or getattr(device, key):
                box[key] = _written(device, key)
    for box, light in zip(document.get("light", []), new.lights, strict=True):
        box["name"] = light.name
    return as_toml(document)


def _set_map(lines: list[str], path: KeyPath, old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Change one map in place, whether it is written inline or one entry a line."""
    where = key_lines("".join(lines))
    if path not in where or not new:
        return False
    at = where[path] - 1
    found = _INLINE.search(lines[at])
    if found is not None and f"{path[-1]}" in lines[at][: found.start()]:
        entries = ", ".join(f"{number} = {_quoted(name)}" for number, name in new.items())
        lines[at] = f"{lines[at][: found.start()]}{{ {entries} }}{lines[at][found.end() :]}"
        return True
    places = [where.get((*path, number), 0) - 1 for number in old]
    entries_now = [_ENTRY.fullmatch(lines[place]) if place >= 0 else None for place in places]
    if not places or None in entries_now or len(set(places)) < len(places):
        return False
    _set_entries(lines, sorted(places), new)
    return True


def _set_entries(lines: list[str], places: list[int], new: Mapping[str, str]) -> None:
    """One entry a line: what is said anew takes the old lines in their order, with their remarks."""
    parts = [_ENTRY.fullmatch(lines[place]) for place in places]
    wanted = list(new.items())
    for place, found, (number, name) in zip(places, parts, wanted, strict=False):
        if found is not None:
            lines[place] = f"{found[1]}{number}{found[2]}{_quoted(name)}{found[3]}"
    last = parts[-1]
    if last is not None:
        more = [f"{last[1]}{number}{last[2]}{_quoted(name)}\n" for number, name in wanted[len(places) :]]
        lines[places[-1] + 1 : places[-1] + 1] = more
    for place in reversed(places[len(wanted) :]):
        del lines[place]


def _set_name(lines: list[str], path: KeyPath, name: str) -> bool:
    where = key_lines("".join(lines))
    if path not in where:
        return False
    at = where[path] - 1
    changed, count = re.subn(rf"(\bname\s*=\s*)(?:{_STRING})", rf"\g<1>{_quoted(name)}", lines[at])
    lines[at] = changed
    return count == 1


def _quoted(name: str) -> str:
    """Names of places, keys and lights hold nothing that would need an escape."""
    return f'"{name}"'


def _says(text: str, path: Path, wanted: TableConfig) -> bool:
    try:
        return parse(text, path) == wanted
    except ConfigError:
        return False


def differences(old: TableConfig, new: TableConfig) -> Iterator[str]:
    """What is changed, one line for each map: for people, before it is written."""
    for was, now in zip(old.devices, new.devices, strict=True):
        for key in _MAPS:
            if getattr(was, key) != getattr(now, key):
                entries = ", ".join(
                    f"{number} = {_quoted(name)}" for number, name in _written(now, key).items()
                )
                yield f"{now.name}: {key} = {{ {entries} }}"
    for light, other in zip(old.lights, new.lights, strict=True):
        if light.name != other.name:
            yield f"light {light.name} is called {other.name}"
