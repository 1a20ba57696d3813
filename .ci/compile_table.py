"""Build hook: compiles the inference and the fold of the table, with mypyc or, where a module stands there in
C, too, from that. It is off unless HATCH_BUILD_HOOKS_ENABLE is set (`sh .ci/setup compiled`).

The Python sources stay the same and stay in the wheel; `.ci/run` holds what both find against each other.
"""

import re
import shutil
from contextlib import chdir
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from mypyc.build import mypycify
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

ROOM = "shoe_bridge/table"
# msgspec makes these classes, which mypyc does not compile
DEFINES_MESSAGES = re.compile(r"^class .*\bStruct\b", re.MULTILINE)
# a multiplication and an addition in one rounding, as some processors have them, would be another probability
SAME_ON_EVERY_MACHINE = "-ffp-contract=off"


class CompileTable(BuildHookInterface):
    """Adds the compiled modules to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            raise ValueError("an editable installation is never compiled: leave out --editable")
        self._work = Path(mkdtemp())
        try:
            with chdir(self.root):
                built = compiled(self._work)
        except BaseException:  # mypyc ends the program where a type is wrong
            shutil.rmtree(self._work)
            raise
        for path in built.rglob("*.so"):
            build_data["force_include"][str(path)] = path.relative_to(built).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self._work)


def sources() -> list[str]:
    """The modules to compile from Python."""
    paths = sorted(Path(ROOM).glob("*.py"))
    return [
        path.as_posix()
        for path in paths
        if not DEFINES_MESSAGES.search(path.read_text("utf-8")) and not path.with_suffix(".c").exists()
    ]


def in_c() -> list[Extension]:
    """The modules that stand there in C, too."""
    return [
        Extension(".".join(path.with_suffix("").parts), [path.as_posix()])
        for path in sorted(Path(ROOM).glob("*.c"))
    ]


def compiled(work: Path) -> Path:
    """The folder that holds the compiled modules."""
    flags = ["--config-file=", f"--cache-dir={work / 'cache'}", "--strict"]
    extensions = mypycify([*flags, *sources()], target_dir=str(work / "c"), group_name="shoe_bridge")
    extensions += in_c()
    for extension in extensions:
        extension.extra_compile_args.append(SAME_ON_EVERY_MACHINE)
    command = build_ext(Distribution({"name": "shoe-bridge", "ext_modules": extensions}))
    built = work / "built"
    command.build_lib, command.build_temp = str(built), str(work / "objects")
    command.ensure_finalized()
    command.run()
    return built
