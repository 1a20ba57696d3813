"""`shoe-bridge selftest`: does this installed build do what it documents?

It decodes every documented vector, replays the golden journals through the whole path (bytes to findings),
and makes sure that the package `protocol` that is imported is its own: the name is short, and which of two
packages is found is decided by the order of a path.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoe_bridge.cli.compiled import build_name
from shoe_bridge.cli.counted import counted
from shoe_bridge.errors import ShoeBridgeError

if TYPE_CHECKING:
    from shoe_bridge.link.decoder import Decoder

_DISTRIBUTION = "shoe-bridge"

Check = tuple[str, Callable[[], str]]


def selftest(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Check the installed build: documented vectors, golden journals, the package protocol."""
    import msgspec

    failed = 0
    for name, check in checks():
        passed, text = outcome(check)
        failed += not passed
        line = {"type": "check", "name": name, "passed": passed, "text": text}
        plain = f"{'ok    ' if passed else 'FAILED'} {name}: {text}"
        typer.echo(msgspec.json.encode(line).decode() if as_json else plain)
    raise typer.Exit(1 if failed else 0)


def checks() -> Iterator[Check]:
    """All checks by name; each gives what it saw or raises."""
    from protocol.codec import CODECS
    from protocol.hid_keys import NAME
    from shoe_bridge.cli import golden

    for kind in (*CODECS, NAME):
        yield f"vectors of {kind}", lambda kind=kind: check_vectors(kind)  # type: ignore[misc]
    for name in golden.PLANS:
        yield f"golden journal {name}", lambda name=name: check_golden(golden.text_of(name))  # type: ignore[misc]
    yield "package protocol", check_owner
    yield "table", lambda: f"the inference of the deal runs {build_name()}"


def outcome(check: Callable[[], str]) -> tuple[bool, str]:
    """Whether the check passed, and its sentence; a check that breaks down has failed too."""
    try:
        return True, check()
    except ShoeBridgeError as found:
        return False, str(found)
    except Exception as error:
        return False, f"{type(error).__name__}: {error}; install the package again."


def check_vectors(kind: str) -> str:
    """Every documented byte string of a device gives the lines that the document says."""
    from protocol.codec import CODECS
    from protocol.vectors import vectors_of
    from shoe_bridge.link.decoder import Decoder
    from shoe_bridge.link.line_codecs import keypad_codec

    vectors = vectors_of(kind)
    codec = CODECS[kind] if kind in CODECS else keypad_codec(None)
    wrong = [vector.name for vector in vectors if _lines_of(Decoder(codec), vector.stream) != vector.expect]
    if wrong or not vectors:
        named = ", ".join(repr(name) for name in wrong[:3])
        raise ShoeBridgeError(f"{len(wrong)} of {len(vectors)} decode otherwise than documented: {named}.")
    return f"{counted(len(vectors), 'vector decodes', 'vectors decode')} as documented"


def _lines_of(decoder: "Decoder", stream: bytes) -> list[dict[str, Any]]:
    import msgspec

    from shoe_bridge.link.decoder import pending_line, result_lines

    lines = result_lines([*decoder.feed(stream), *decoder.finish()])
    if decoder.pending:
        lines.append(pending_line(decoder.pending))
    decoded: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(lines))
    return decoded


def check_golden(text: bytes) -> str:
    """A golden journal is made, proves itself, and its replay comes to the same conclusions."""
    from shoe_bridge.cli.golden import unfold
    from shoe_bridge.journal import JournalReader
    from shoe_bridge.runtime.replay import verify

    with tempfile.TemporaryDirectory(prefix="shoe-bridge-selftest-") as folder:
        unfold(text, Path(folder))
        with JournalReader(Path(folder)) as reader:
            verdict = verify(reader)
    if verdict.problems:
        raise ShoeBridgeError(verdict.problems[0])
    if not verdict.findings:
        raise ShoeBridgeError("it holds no findings, so that it shows nothing.")
    findings = counted(verdict.findings, "change of findings", "changes of findings")
    gives = counted(verdict.inputs, "input gives", "inputs give")
    return f"{gives} the same {counted(verdict.events, 'event')} and {findings}"


def check_owner(owners_of: Callable[[], Mapping[str, list[str]]] | None = None) -> str:
    """The imported `protocol` lies beside `shoe_bridge` and no other distribution claims the name."""
    from importlib import metadata

    import protocol
    import shoe_bridge

    ours, theirs = (Path(module.__path__[0]).resolve() for module in (shoe_bridge, protocol))
    if theirs.parent != ours.parent:
        raise ShoeBridgeError(f"{theirs} is imported, and not the one beside {ours}: take that package away.")
    owners = sorted(set((owners_of or metadata.packages_distributions)().get("protocol", [])))
    others = [owner for owner in owners if owner != _DISTRIBUTION]
    if others:
        raise ShoeBridgeError(
            f"the distribution {others[0]} brings a package protocol too: uninstall one of the two."
        )
    return f"{theirs} is {'installed by ' + _DISTRIBUTION if owners else 'of this source tree'}"
