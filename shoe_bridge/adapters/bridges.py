"""The bridges that run on this host, by their command lines in /proc: whose a port is that is in use.

    /opt/shoe-bridge/bin/python3 /opt/shoe-bridge/bin/shoe-bridge run --config /etc/shoe-bridge/t1.toml --wait
    python -m shoe_bridge run --config=t1.toml

A command line may be read of any user's process, the folder that it was started in only of one's own.
"""

import os
from pathlib import Path

import msgspec

_PROGRAM, _MODULE = "shoe-bridge", "shoe_bridge"
_VERB, _OPTION = "run", "--config"


class RunningBridge(msgspec.Struct, frozen=True):
    """One process of `run`. `config` is the file of its table, absolute where that can be known."""

    pid: int
    config: str

    def is_of(self, config: Path) -> bool:
        """Whether it is the bridge of that configuration."""
        return os.path.realpath(self.config) == os.path.realpath(config)


def running_bridges(root: Path = Path("/")) -> tuple[RunningBridge, ...]:
    """All of them but this process, in the order of their numbers."""
    found = []
    for folder in (root / "proc").glob("[0-9]*"):
        config = _config_of(_arguments(folder))
        if config is not None and int(folder.name) != os.getpid():
            found.append(RunningBridge(int(folder.name), os.path.join(_cwd(folder), config)))
    return tuple(sorted(found, key=lambda one: one.pid))


def _arguments(folder: Path) -> list[str]:
    try:
        return (folder / "cmdline").read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1]
    except OSError:  # it has ended meanwhile
        return []


def _cwd(folder: Path) -> str:
    try:
        return os.readlink(folder / "cwd")
    except OSError:
        return ""


def _config_of(arguments: list[str]) -> str | None:
    """The value of --config where these are the arguments of a bridge."""
    # an interpreter with its options stands before the program: no more than these few
    for at, argument in enumerate(arguments[:6]):
        is_module = argument == _MODULE and at > 0 and arguments[at - 1] == "-m"
        if is_module or os.path.basename(argument) == _PROGRAM:
            return _value(arguments[at + 2 :]) if arguments[at + 1 : at + 2] == [_VERB] else None
    return None


def _value(options: list[str]) -> str | None:
    for at, option in enumerate(options):
        if option == _OPTION:
            return options[at + 1] if at + 1 < len(options) else None
        if option.startswith(f"{_OPTION}="):
            return option.partition("=")[2]
    return None
