"""The command line: one file per verb. Exit code 0: done, nothing wrong; 1: something was found wrong; 2: bad
usage or configuration. An error is one sentence on stderr, never a traceback."""

import sys
from typing import Any, NoReturn

from shoe_bridge.errors import ShoeBridgeError


def main() -> NoReturn:
    """Run the command line of this process and end it with the verb's exit code."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one verb; its exit code. What goes wrong is told on stderr in one sentence."""
    import typer

    from shoe_bridge.cli.app import command

    usage_error: Any = typer.BadParameter.__mro__[2]  # the base of what the parser complains with
    try:
        result = command().main(arguments, prog_name="shoe-bridge", standalone_mode=False)
    except ShoeBridgeError as error:
        return _complain(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output went away: there is nobody left to tell
        return 1
    except usage_error as error:
        text = error.format_message() if hasattr(error, "format_message") else str(error)
        hint = "see `shoe-bridge --help`" if "No such command" in text else "see --help of that command"
        return _complain(f"{text.rstrip('.')}: {hint}", 2)
    return result if isinstance(result, int) else 0


def _complain(text: str, code: int) -> int:
    sentence = " ".join(text.split())
    end = "" if sentence.endswith((".", "!", "?")) else "."
    print(f"shoe-bridge: {sentence}{end}", file=sys.stderr)
    return code
