"""The exception tree. Every message is one sentence for a person: what, where, the fix.

ShoeBridgeError
├── ConfigError        wrong or missing configuration (exit code 2)
│   └── MissingPackageError   a package of an extra that is not installed
├── UsageError         wrong arguments or input files (exit code 2)
│   ├── NotPlainError          a file to be read whole that is none, or too long (in plain_file)
│   └── UnsupportedStepError   a scenario's step that no simulated device can act out (in sim)
├── PortError          a port that does not exist, is busy, or is not permitted (exit code 2)
├── JournalError       a journal that is missing, damaged or cannot be written (exit code 1)
└── DeckError          a deck register that is missing, damaged or contradicts itself (exit code 2)
"""


def install_command(extra: str) -> str:
    """The command that installs an extra, in a clone and elsewhere."""
    return f".venv/bin/pip install -e '.[{extra}]' (outside a clone: pip install 'shoe-bridge[{extra}]')"


class ShoeBridgeError(Exception):
    """Base of everything that the bridge raises on purpose; `exit_code` is what a command ends with."""

    exit_code = 1


class ConfigError(ShoeBridgeError):
    exit_code = 2


class MissingPackageError(ConfigError):
    """What was asked for needs `package`, which `extra` brings."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.needs = f"needs {package}: {install_command(extra)}"
        super().__init__(f"{what} {self.needs}.")


class UsageError(ShoeBridgeError):
    exit_code = 2


class PortError(ShoeBridgeError):
    exit_code = 2


class JournalError(ShoeBridgeError):
    exit_code = 1


class DeckError(ShoeBridgeError):
    exit_code = 2
