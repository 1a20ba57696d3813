"""Every runtime dependency installs as a wheel on a Raspberry Pi: 64-bit ARM Linux, each supported Python."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PREFIX = "Programming Language :: Python :: 3."
PYTHONS = [line.rpartition(" ")[2] for line in PYPROJECT["classifiers"] if line.startswith(PREFIX)]
# What Debian 12 and later can run: glibc 2.36 and everything older.
PLATFORMS = ["manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in range(17, 37))]


def test_supported_pythons_are_named() -> None:
    assert PYTHONS == ["3.11", "3.12", "3.13"]


@pytest.mark.index
@pytest.mark.parametrize("python", PYTHONS)
def test_dependencies_resolve_to_wheels_for_aarch64(python: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--target", str(tmp_path), "--only-binary=:all:", "--implementation=cp"]
    command += [f"--python-version={python}", *(f"--platform={name}" for name in PLATFORMS)]
    command += ["--report", str(tmp_path / "report.json"), *PYPROJECT["dependencies"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    chosen = json.loads((tmp_path / "report.json").read_text())["install"]
    wheels = {one["metadata"]["name"].lower(): one["download_info"]["url"] for one in chosen}
    assert len(wheels) >= len(PYPROJECT["dependencies"])
    assert all(url.endswith(("-any.whl", "aarch64.whl")) for url in wheels.values()), wheels
    assert wheels["msgspec"].endswith("aarch64.whl")
