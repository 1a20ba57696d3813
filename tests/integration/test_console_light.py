"""A console light beside `run --json`: what a program reads is JSON, line for line."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

RUN_S = 30.0


def with_console(config: dict[str, Any]) -> None:
    config["light"].append({"name": "screen", "kind": "console"})


def test_a_console_light_leaves_the_json_alone(rig: Callable[..., Any], environment: dict[str, str]) -> None:
    table = rig(with_console)
    with subprocess.Popen(
        table.command("--json"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as bridge:
        assert bridge.stdout is not None
        reports = []
        try:
            for line in bridge.stdout:
                reports.append(json.loads(line))
                if reports[-1].get("shown") == "all_well" and reports[-1]["light"] == "screen":
                    bridge.terminate()
        except ValueError:
            bridge.kill()  # else it would be waited for
            raise
        said = bridge.communicate(timeout=RUN_S)[1].decode()
    assert reports[-1]["type"] == "stopped"
    assert "light screen [ ok ] ALL WELL\n" in said
    assert bridge.returncode == 0


def test_a_console_light_beside_sentences_has_the_standard_output(
    rig: Callable[..., Any], environment: dict[str, str]
) -> None:
    table = rig(with_console)
    with subprocess.Popen(
        table.command(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as bridge:
        assert bridge.stdout is not None
        lines = []
        for line in bridge.stdout:
            lines.append(line)
            if b"ALL WELL" in line:
                bridge.terminate()
    assert set(lines) <= {b"light screen [ ?? ] NOT MONITORED\n", b"light screen [ ok ] ALL WELL\n"}
    assert b"light screen [ ok ] ALL WELL\n" in lines
