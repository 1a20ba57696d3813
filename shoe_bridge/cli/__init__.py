"""The command line: one file per verb. Exit code 0: done, nothing wrong; 1: something was found wrong; 2: bad
usage or configuration. An error is one sentence on stderr, never a traceback."""

import errno
import os
import sys
from typing import Any, NoReturn

from shoe_bridge.errors import ShoeBridgeError, UsageError

_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line of this process and end it with the verb's exit code."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one verb; its exit code. What goes wrong is told on stderr in one sentence; with the environment
    variable SHOE_BRIDGE_DEBUG a fault of the program itself shows its traceback."""
    try:
        return _run(arguments)
    except ShoeBridgeError as error:
        return _complain(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _drop_output()  # whoever read our output went away: there is nobody left to tell
        return 1
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        name = error.filename or (_name_of_output(error) if is_full else None)
        _drop_output()
        if name is not None and is_full:
            from shoe_bridge.plain_file import write_fault

            return _complain(f"{name} cannot be written {write_fault(error)} and try again", 1)
        where = f" ({error.filename})" if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        return _complain(f"the system refused{where}: {reason}; see to that and try again", 1)
    except Exception as error:
        if os.environ.get("SHOE_BRIDGE_DEBUG"):
            raise
        name = type(error).__name__
        return _complain(
            f"a fault of the program itself ({name}: {error}): run it again with SHOE_BRIDGE_DEBUG=1 and "
            "report what it prints",
            1,
        )


def _run(arguments: list[str]) -> int:
    import typer

    from shoe_bridge.cli.app import command

    _refuse_empty(arguments)
    usage_error: Any = typer.BadParameter.__mro__[2]  # the base of what the parser complains with
    try:
        result = command().main(arguments or ["--help"], prog_name="shoe-bridge", standalone_mode=False)
        sys.stdout.flush()
    except typer.Abort:
        return _INTERRUPTED
    except usage_error as error:
        context = getattr(error, "ctx", None)
        help_command = f"{context.command_path if context else 'shoe-bridge'} --help"
        text = error.format_message().rstrip(".") or "name what is to be done"
        return _complain(f"{text}: see `{help_command}`", 2)
    return result if isinstance(result, int) else 0


def _refuse_empty(arguments: list[str]) -> None:
    """UsageError where an argument is empty, as a shell variable that is not set leaves it: the path `""` is
    the current folder to every library, and nobody means that."""
    before = ""
    for argument in arguments:
        option = argument.removesuffix("=") if argument.startswith("--") else before
        if not argument or (argument.startswith("--") and argument.endswith("=")):
            named = option if option.startswith("-") else "an argument"
            raise UsageError(f"{named} is empty: give it a value, or leave it out")
        before = argument


def _complain(text: str, code: int) -> int:
    sentence = " ".join(text.split())
    end = "" if sentence.endswith((".", "!", "?")) else "."
    try:
        print(f"shoe-bridge: {sentence}{end}", file=sys.stderr)
    except (OSError, ValueError, AttributeError):
        pass  # no stderr: the exit code has to do
    return code


def _name_of_output(error: OSError) -> str | None:
    """What the standard output is, if that is what could not be written: the error came out of what prints,
    or out of the flush at the end."""
    from shoe_bridge.cli.output_name import output_name

    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__"))
    if module != __name__ and module.partition(".")[0] not in ("click", "typer"):
        return None
    return output_name() or "The standard output"


def _drop_output() -> None:
    """The interpreter flushes at its end: let it flush to nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        pass
