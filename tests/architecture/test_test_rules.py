"""The rules of `tests/conftest.py` bite: a small test run of its own, with a skip and with leaks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
BARE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}  # no plugins: quick to start
SKIPS = """
import pytest

def test_skips():
    pytest.skip("no such tool here")

@pytest.mark.xfail(strict=True)
def test_known_fault():
    assert False
"""
SKIPPED_FILE = """
import pytest
pytest.importorskip("a_module_that_nobody_has")
"""
LEAKS = """
import asyncio, os, threading

kept = []

def test_clean():
    with open(os.devnull):
        asyncio.run(asyncio.sleep(0))

def test_leaks_a_descriptor():
    kept.append(open(os.devnull))

def test_leaks_a_thread():
    kept.append(threading.Event())
    threading.Thread(target=kept[-1].wait, args=(20,), name="stray", daemon=True).start()

def test_leaks_a_task():
    loop = asyncio.new_event_loop()
    kept.append(loop.create_task(asyncio.sleep(9), name="orphan"))
    loop.close()
"""


def run(folder: Path, files: dict[str, str], ci: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text(CONFTEST.read_text().replace("SETTLE_S = 2.0", "SETTLE_S = 0.05"))
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-rA", "--rootdir=.", "-p", "no:cacheprovider", "-W", "ignore"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **BARE, "CI": ci}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(("ci", "passes"), [("", True), ("false", True), ("true", False)])
def test_a_skip_fails_in_ci_and_nowhere_else(tmp_path: Path, ci: str, passes: bool) -> None:
    code, output = run(tmp_path, {"unit/test_skips.py": SKIPS}, ci)
    assert (code == 0) is passes
    assert ("may not skip where CI is set" in output) is not passes
    assert "1 xfailed" in output


def test_a_file_that_skips_itself_fails_in_ci(tmp_path: Path) -> None:
    code, output = run(tmp_path, {"unit/test_file.py": SKIPPED_FILE}, "true")
    assert code != 0
    assert "unit/test_file.py may not skip where CI is set" in output


def test_leaks_are_found_in_integration_and_system_tests_only(tmp_path: Path) -> None:
    files = {"integration/test_leaks.py": LEAKS, "unit/test_same.py": LEAKS}
    code, output = run(tmp_path, files, "")
    assert code == 1
    assert set(re.findall(r"ERROR (\S+)::test_(\w+)", output)) == {
        ("integration/test_leaks.py", "leaks_a_descriptor"),
        ("integration/test_leaks.py", "leaks_a_thread"),
        ("integration/test_leaks.py", "leaks_a_task"),
    }
    assert re.search(r"left open: fd \d+ \(/dev/null\)", output)
    assert "left open: thread stray" in output
    assert "left open: task orphan" in output
    assert "8 passed" in output
