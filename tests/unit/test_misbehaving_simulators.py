"""However a simulator misbehaves, its run ends soon, with the reason, and leaves no process."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from chaos.misbehaving_simulator import EXPECTED
from tests.conftest import ROOT

SIMULATOR = ROOT / "chaos" / "misbehaving_simulator.py"
# A process of its own: it adopts orphans, and kills every child that it has.
_LAUNCH = """
import json, sys, time
from windtunnel.simulator import Failed, Limits, ProcessLauncher, become_subreaper, describe

become_subreaper()
program = sys.argv[1]
launcher = ProcessLauncher([program], describe([program]))
limits = Limits(
    wall_seconds=20, stall_seconds=2, memory_bytes=200 * 2**20, output_bytes=3 * 2**20
)
for name in json.loads(sys.argv[2]):
    spec = {"simulator": "misbehaving", "seed_index": 1, "scenario": {"misbehave": name}}
    began = time.monotonic()
    ticks = []
    outcome = launcher.run(spec, limits, lambda _: ticks.append(time.monotonic()) or True)
    kind = type(outcome).__name__.lower()
    reason = str(outcome.reason) if isinstance(outcome, Failed) else kind
    message = getattr(outcome, "message", "")
    print(json.dumps([name, reason, message, time.monotonic() - began, len(ticks)]), flush=True)
    assert sys.stdin.readline()  # until the test has looked for processes
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    program = tmp_path_factory.mktemp("misbehaving") / "simulator.py"
    shutil.copy2(SIMULATOR, program)
    command = [sys.executable, "-c", _LAUNCH, str(program), json.dumps(list(EXPECTED))]
    outcomes = {}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as launcher:
        assert launcher.stdin is not None
        assert launcher.stdout is not None
        for line in launcher.stdout:
            name, reason, message, seconds, ticks = json.loads(line)
            outcomes[name] = {
                "reason": reason,
                "message": message,
                "seconds": seconds,
                "ticks": ticks,
                "processes": _processes(program, launcher.pid),
            }
            launcher.stdin.write("next\n")
            launcher.stdin.flush()
    assert launcher.returncode == 0
    return outcomes


def _processes(program: Path, without: int) -> list[int]:
    """Processes of this program, except for the launcher."""
    deadline = time.monotonic() + 2
    while found := [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit()
        and int(folder.name) != without
        and str(program).encode() in _command_line(folder)
    ]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    return found


def _command_line(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("misbehave", EXPECTED)
def test_a_misbehaving_simulator(outcomes: dict[str, dict[str, Any]], misbehave: str) -> None:
    reason, message = EXPECTED[misbehave]
    outcome = outcomes[misbehave]
    assert outcome["reason"] == reason, outcome["message"]
    assert message in outcome["message"]
    assert len(outcome["message"]) <= 1100
    assert outcome["seconds"] < 8
    assert outcome["processes"] == []


def test_the_lease_is_extended_while_both_pipes_are_closed(
    outcomes: dict[str, dict[str, Any]],
) -> None:
    """Four times a second; a cancellation is noticed by the same call."""
    assert outcomes["closes both pipes"]["ticks"] >= 4
