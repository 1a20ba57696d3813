"""Laws that the syntax tree can hold: construct without its traps, one vocabulary, frozen structs."""

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = sorted(path for package in ("protocol", "shoe_bridge") for path in (ROOT / package).rglob("*.py"))
PROTOCOL = sorted((ROOT / "protocol").rglob("*.py"))
# They swallow errors or, compiled, return too few bytes without one.
CONSTRUCT_TRAPS = {"GreedyRange", "Select", "Optional", "Peek", "Pickled"}
FORBIDDEN_WORDS = {
    "manager",
    "managers",
    "helper",
    "helpers",
    "util",
    "utils",
    "common",
    "misc",
    "data",
    "info",
}
FORBIDDEN_VERBS = ("process", "handle")
ALLOWED = {
    "DeviceInfo",  # fixed by the outer contract: a message kind of `decode --json`
    "_on_data",  # the callback that the interface of byte ports names
    "_process_name",  # of a process of the operating system
}
BUILT_IN_EXCEPTIONS = {
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
# Files that travel between the rooms: their structs are messages, observations, events and findings.
TRAVELLING = (
    "protocol/messages.py",
    "shoe_bridge/table/observations.py",
    "shoe_bridge/table/findings.py",
    "shoe_bridge/runtime/ports.py",
)


def place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def names_used(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node, node.id
        elif isinstance(node, ast.Attribute):
            yield node, node.attr
        elif isinstance(node, ast.alias):
            yield node, node.name


@pytest.mark.parametrize("path", PROTOCOL, ids=lambda path: path.name)
def test_protocol_keeps_off_the_traps_of_construct(path: Path) -> None:
    wrong = [
        f"{place(path, node)} {name}"
        for node, name in names_used(ast.parse(path.read_text()))
        if name in CONSTRUCT_TRAPS
    ]
    assert not wrong


@pytest.mark.parametrize("path", PROTOCOL, ids=lambda path: path.name)
def test_protocol_compiles_no_construct(path: Path) -> None:
    """`re.compile` is another thing."""
    wrong = [
        place(path, node)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and node.attr == "compile"
        and not (isinstance(node.value, ast.Name) and node.value.id == "re")
    ]
    assert not wrong


def words_of(name: str) -> list[str]:
    """`DeviceInfo` and `device_info` are both device, info."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_")


def is_forbidden(words: list[str]) -> bool:
    return bool(FORBIDDEN_WORDS & set(words)) or (len(words) > 1 and words[0] in FORBIDDEN_VERBS)


def defined_names(path: Path) -> Iterator[tuple[str, str]]:
    """(place, name) of the file, and of all its classes and functions."""
    yield str(path.relative_to(ROOT)), path.stem
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield place(path, node), node.name


def test_names_say_what_a_thing_is() -> None:
    wrong = [
        f"{where} {name}"
        for path in CODE
        for where, name in defined_names(path)
        if name not in ALLOWED and is_forbidden(words_of(name))
    ]
    assert not wrong


def test_words_of_a_name_are_found() -> None:
    assert words_of("DeviceInfo") == words_of("device_info") == ["device", "info"]
    assert words_of("_handle_key") == ["handle", "key"]
    assert words_of("process") == ["process"]


@pytest.mark.parametrize("name", TRAVELLING)
def test_types_that_travel_are_frozen_structs(name: str) -> None:
    path = ROOT / name
    classes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]
    structs = [node for node in classes if not _is_interface(node)]
    assert structs
    assert not [place(path, node) for node in structs if not _is_frozen(node)]


def _is_interface(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id in ("Protocol", "StrEnum") for base in node.bases)


def _is_frozen(node: ast.ClassDef) -> bool:
    return any(
        word.arg == "frozen" and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in node.keywords
    )


def test_every_exception_of_the_project_is_on_the_one_tree() -> None:
    """A ShoeBridgeError carries its sentence and exit code to the top. Others are private (`_Name`) and end
    in the module that raises them."""
    wrong = []
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and node.name != "ShoeBridgeError":
                bases = {ast.unparse(base) for base in node.bases}
                if bases & BUILT_IN_EXCEPTIONS and not node.name.startswith("_"):
                    wrong.append(f"{place(path, node)} {node.name}")
    assert not wrong
