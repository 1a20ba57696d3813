"""Holds a TOML document against a struct and says in words what does not fit.

msgspec's own errors name neither the value found nor the whole range allowed, and stop at the first; people
who edit a file by hand need all three. The structs stay the only schema: this walks what `msgspec.inspect`
says of them.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import inspect

from shoe_bridge.toml_lines import KeyPath

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_WHOLE_NUMBER_KEY = re.compile(r"0|[1-9][0-9]*")
_MOST_DIGITS = 18  # of a key; Python itself reads no number of more than some thousand


class Complaint(msgspec.Struct, frozen=True):
    """One thing wrong: where it stands in the document, and the sentence without file, line and full stop."""

    path: KeyPath
    sentence: str


def schema_complaints(
    document: dict[str, Any], schema: type, examples: Mapping[str, str] | None = None
) -> list[Complaint]:
    """All places where `document` does not fit the struct type `schema`: unknown and missing keys, wrong
    types, numbers out of range, names of a wrong shape. `examples` says, for a key that can be missing, what
    was expected."""
    return list(_Check(examples or {}).check(document, inspect.type_info(schema), ()))


def near_miss(word: str, known: Iterable[str]) -> str:
    """` (did you mean "seats"?)` for a slip of the pen; empty if nothing known is near."""
    listed = list(known)
    near = [other for other in listed if other.lower() == word.lower()]
    near = near or difflib.get_close_matches(word, listed, n=1, cutoff=0.6)
    return f' (did you mean "{near[0]}"?)' if near else ""


def shown(value: object) -> str:
    """A TOML value as a person would write it, shortened; what cannot be seen in it as its escape."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        seen = visible(value[:61])
        return f'"{seen}"' if len(value) <= 60 and len(seen) <= 60 else f'"{seen[:57]}..."'
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of thousands of digits" if abs(value) >= 10**1000 else "a number of many digits"
    return str(value)


def visible(text: str) -> str:
    """The text with line ends, NULs and other characters that no terminal shows as TOML and Python write
    them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def words(items: Iterable[str], last: str = "or") -> str:
    """`a, b or c`."""
    listed = list(items)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} {last} {listed[-1]}"


class _Check:
    """One document against one schema."""

    def __init__(self, examples: Mapping[str, str]) -> None:
        self._examples = examples

    def check(self, value: object, kind: inspect.Type, path: KeyPath) -> Iterator[Complaint]:
        match kind:
            case inspect.Metadata():
                yield from self._described(value, kind, path)
            case inspect.StructType():
                yield from self._struct(value, kind, path)
            case inspect.DictType():
                yield from self._dict(value, kind, path)
            case inspect.VarTupleType():
                yield from self._list(value, kind, path)
            case inspect.UnionType():
                # TOML has no null: only the other half of `X | None` can be written
                present = next(t for t in kind.types if not isinstance(t, inspect.NoneType))
                yield from self.check(value, present, path)
            case inspect.IntType():
                if type(value) is not int or not _is_in_range(value, kind):
                    yield _unfit(value, _whole_number(kind), path)
            case inspect.FloatType():
                # a NaN is in no range
                if type(value) not in (int, float) or not _is_in_range(cast(float, value), kind):
                    yield _unfit(value, f"a number from {kind.ge:g} to {kind.le:g}", path)
            case inspect.BoolType():
                if not isinstance(value, bool):
                    yield _unfit(value, "true or false", path)
            case inspect.LiteralType():
                # an empty one stands for a key that is left out, and is nothing to write
                choices = [str(choice) for choice in kind.values if choice != ""]
                if value not in kind.values:
                    yield _unfit(value, words(choices) + near_miss(str(value), choices), path)
            case inspect.StrType():
                if not _is_text(value) or len(str(value)) < (kind.min_length or 0):
                    yield _unfit(value, _text_form(value, "a text in quotes"), path)
            case inspect.CustomType() if kind.cls is Path:
                if not _is_text(value) or not value:
                    yield _unfit(value, _text_form(value, "a path in quotes"), path)
            case _:
                raise TypeError(f"the configuration schema has a type without a check: {kind}")

    def _described(self, value: object, kind: inspect.Metadata, path: KeyPath) -> Iterator[Complaint]:
        """A text whose shape is a pattern and whose description says that shape in words."""
        text = cast(inspect.StrType, kind.type)
        if not isinstance(value, str) or not re.search(text.pattern or "", value):
            yield _unfit(value, str((kind.extra_json_schema or {})["description"]), path)

    def _struct(self, value: object, kind: inspect.StructType, path: KeyPath) -> Iterator[Complaint]:
        if not isinstance(value, dict):
            yield _unfit(value, f"a section with the keys {_section_keys(kind)}", path)
            return
        fields = {field.encode_name: field for field in kind.fields}
        for key, inner in value.items():
            if key in fields:
                yield from self.check(inner, fields[key].type, (*path, key))
            else:
                hint = near_miss(key, fields) or f", expected one of {_section_keys(kind)}"
                yield Complaint((*path, key), f'unknown key "{key}" {_where(path)}{hint}')
        if not set(value) <= set(fields):
            return  # a key that seems missing is most likely the misspelt one
        for name, field in fields.items():
            if field.required and name not in value:
                yield Complaint(
                    path, f'the key "{name}" is missing {_where(path)}, expected {self._example(name)}'
                )

    def _dict(self, value: object, kind: inspect.DictType, path: KeyPath) -> Iterator[Complaint]:
        if not isinstance(value, dict):
            yield _unfit(value, "a table in braces, such as { 1 = ... }", path)
            return
        for key, inner in value.items():
            if isinstance(kind.key_type, inspect.IntType) and not _WHOLE_NUMBER_KEY.fullmatch(key):
                sentence = f"{shown(key)} in {path[-1]} is no number, expected a whole number before the ="
                yield Complaint((*path, key), sentence)
            elif isinstance(kind.key_type, inspect.IntType) and len(key) > _MOST_DIGITS:
                sentence = f"a number in {path[-1]} has {len(key)} digits, expected a plain one before the ="
                yield Complaint((*path, key), sentence)
            yield from self.check(inner, kind.value_type, (*path, key))

    def _list(self, value: object, kind: inspect.VarTupleType, path: KeyPath) -> Iterator[Complaint]:
        if isinstance(value, list):
            if not value:
                yield Complaint(path, f"{_name(path)} is an empty list, expected at least one entry")
            for number, inner in enumerate(value):
                yield from self.check(inner, kind.item_type, (*path, number))
        elif isinstance(kind.item_type, inspect.StructType):
            yield Complaint(
                path, f"[{path[-1]}] is one section, expected a list of them: write [[{path[-1]}]]"
            )
        else:
            yield _unfit(value, "a list in square brackets", path)

    def _example(self, name: str) -> str:
        return self._examples.get(name, f"such as {name} = ...")


def _is_in_range(value: float, kind: inspect.IntType | inspect.FloatType) -> bool:
    return (kind.ge is None or value >= kind.ge) and (kind.le is None or value <= kind.le)


def _whole_number(kind: inspect.IntType) -> str:
    return "a whole number" if kind.ge is None else f"a whole number from {kind.ge} to {kind.le}"


def _unfit(value: object, expected: str, path: KeyPath) -> Complaint:
    return Complaint(path, f"{_name(path)} is {shown(value)}, expected {expected}")


def _name(path: KeyPath) -> str:
    """`seats`; an element is named after its list: `occupied[2]`, counted from 1 as people do."""
    if path and isinstance(path[-1], int):
        return f"{path[-2]}[{path[-1] + 1}]"
    return str(path[-1]) if path else "the file"


def _where(path: KeyPath) -> str:
    if not path:
        return "at the top level"
    header = ".".join(_bare(part) for part in path if isinstance(part, str))
    return f"in [[{header}]]" if isinstance(path[-1], int) else f"in [{header}]"


def _bare(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else f'"{key}"'


def _section_keys(kind: inspect.StructType) -> str:
    return words(field.encode_name for field in kind.fields)


def _is_text(value: object) -> bool:
    """A text that a path, a name or a port can be: without the NUL that no system call takes."""
    return isinstance(value, str) and "\0" not in value


def _text_form(value: object, form: str) -> str:
    return f"{form} without a NUL" if isinstance(value, str) and "\0" in value else form
