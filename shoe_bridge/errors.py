"""The exception tree. Every message is one sentence for a person: what, where, the fix.

ShoeBridgeError
├── ConfigError        wrong or missing configuration (exit code 2)
├── UsageError         wrong arguments or input files (exit code 2)
│   └── UnsupportedStepError   a scenario's step that no simulated device can act out (in sim)
├── PortError          a port that does not exist, is busy, or is not permitted (exit code 2)
├── JournalError       a journal that is missing, damaged or cannot be written (exit code 1)
└── DeckError          a deck register that is missing, damaged or contradicts itself (exit code 2)
"""


class ShoeBridgeError(Exception):
    """Base of everything that the bridge raises on purpose; `exit_code` is what a command ends with."""

    exit_code = 1


class ConfigError(ShoeBridgeError):
    exit_code = 2


class UsageError(ShoeBridgeError):
    exit_code = 2


class PortError(ShoeBridgeError):
    exit_code = 2


class JournalError(ShoeBridgeError):
    exit_code = 1


class DeckError(ShoeBridgeError):
    exit_code = 2
