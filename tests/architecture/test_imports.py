"""Who may import whom: the contracts of pyproject.toml, and what they cannot say."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Room -> what it may import besides itself and the standard library.
MAY_IMPORT = {
    "protocol": ("construct", "msgspec"),
    "shoe_bridge/table": ("msgspec",),
    "shoe_bridge/rules": (
        *("msgspec", "phevaluator", "shoe_bridge.table", "shoe_bridge.errors"),
        *("shoe_bridge.toml_file", "shoe_bridge.toml_lines", "shoe_bridge.toml_schema"),
    ),
    "shoe_bridge/link": (
        *("msgspec", "protocol", "shoe_bridge.table.observations", "shoe_bridge.errors"),
        "shoe_bridge.articles",
    ),
    "shoe_bridge/sim": (
        *("msgspec", "protocol", "shoe_bridge.runtime.ports", "shoe_bridge.errors"),
        *("shoe_bridge.toml_file", "shoe_bridge.toml_schema"),
    ),
    "shoe_bridge/journal": ("msgspec", "shoe_bridge.errors"),
    "shoe_bridge/feed": ("msgspec", "shoe_bridge.table", "shoe_bridge.errors"),
    "shoe_bridge/lights": ("msgspec", "protocol", "shoe_bridge.table", "shoe_bridge.errors"),
}
# Rooms whose answers depend on their inputs alone: nothing that reads a clock, the system or chance.
PURE = ("protocol", "shoe_bridge/table", "shoe_bridge/rules", "shoe_bridge/link")
IMPURE = {
    *("asyncio", "time", "datetime", "random", "secrets", "uuid", "os", "socket", "select", "threading"),
    *("multiprocessing", "subprocess", "logging", "signal"),
}
# The shell awaits, and edges that are called by it; everything else is called and returns.
NEVER_AWAIT = (*PURE, "shoe_bridge/journal", "shoe_bridge/feed", "shoe_bridge/lights")


def files(room: str) -> list[Path]:
    found = sorted((ROOT / room).rglob("*.py"))
    assert found, f"{room} holds no code"
    return found


def imports(path: Path) -> set[str]:
    """Full names of all modules that a file imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}  # a module, or a name in one
    return found


def is_within(name: str, allowed: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(one + ".") for one in allowed)


def test_contracts_of_pyproject_hold() -> None:
    code = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_room_imports_only_what_it_may(room: str) -> None:
    allowed = (room.replace("/", "."), *MAY_IMPORT[room])
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files(room)
        for name in imports(path)
        if name.partition(".")[0] not in sys.stdlib_module_names and not is_within(name, allowed)
    }
    assert not wrong


@pytest.mark.parametrize("room", PURE)
def test_pure_room_knows_no_clock_system_or_chance(room: str) -> None:
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files(room)
        for name in imports(path)
        if name.partition(".")[0] in IMPURE
    }
    assert not wrong


@pytest.mark.parametrize("room", NEVER_AWAIT)
def test_only_the_shell_and_its_edges_await(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in files(room)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith)
    ]
    assert not wrong
