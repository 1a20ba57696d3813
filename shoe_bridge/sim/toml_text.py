"""The configuration of a simulated table as the text of the bridge's own TOML file."""

from collections.abc import Mapping
from typing import Any


def as_toml(config: Mapping[str, Any]) -> str:
    """The configuration as the text of the file."""
    lines: list[str] = []
    for section, content in config.items():
        for table in [content] if isinstance(content, Mapping) else content:
            lines.append(f"[{section}]" if isinstance(content, Mapping) else f"[[{section}]]")
            lines += [f"{key} = {_toml_value(value)}" for key, value in table.items()]
            lines.append("")
    return "\n".join(lines)


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(each) for each in value) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
