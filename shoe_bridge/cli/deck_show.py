"""What a person sees while a deck is registered: a bar with the card that is due on a terminal, lines of text
elsewhere. rich is imported where it draws."""

import sys
from types import TracebackType
from typing import Any

import typer


class Show:
    """Used as a context. `total` is how many cards there are to come."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> "Show":
        if sys.stdout.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            # what to do comes first, so that a narrow terminal cuts the rest
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            self._bar = Progress(*columns)
            self._task = self._bar.add_task("", total=self._total)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def ask(self, text: str, have: int) -> None:
        """What to do next, with `have` cards done."""
        if self._bar is not None:
            self._bar.update(self._task, completed=have, description=f"[bold]{text}[/]", refresh=True)
        else:
            typer.echo(f"{text} ({have + 1} of {self._total})")

    def count(self, text: str, have: int) -> None:
        """How far something has come that asks for nothing: the bar alone."""
        if self._bar is not None:
            self._bar.update(self._task, completed=have, description=text, refresh=True)

    def note(self, text: str) -> None:
        self._line(text, err=False)

    def refuse(self, text: str) -> None:
        self._line(text, err=True)

    def _line(self, text: str, err: bool) -> None:
        if self._bar is not None:
            self._bar.console.print(text, style="bold yellow" if err else None, highlight=False, markup=False)
        else:
            typer.echo(text, err=err)
