"""examples/my-algorithm: the steps of its workflow, played in a shell from the wheel.

Each job has a new home. Between jobs the test carries what actions/cache would: windtunnel.cache,
and the downloads and the stock simulator (to save compiling again, the build folder too).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.conftest import ROOT, UNOPTIMIZED, new_data_folder

EXAMPLE = ROOT / "examples" / "my-algorithm"
REDUCES = "static_cast<uint32_t>(m_beta * bytesInFlight)"
EQUAL = "static_cast<uint32_t>(bytesInFlight - (1 - m_beta) * bytesInFlight)"
KEEPS = "bytesInFlight"


@dataclass(frozen=True)
class Job:
    """What a job printed, its exit code, and the folder in which it ran."""

    code: int
    output: str
    folder: Path


class Machine:
    """Plays the workflow's job. ``inputs`` of the action are the workflow's, and its defaults."""

    def __init__(self, wheel: Path, programs: Path, folder: Path) -> None:
        self._wheel = wheel
        self._programs = programs
        self._folder = folder
        self._kept: Path | None = None

    def job(self, name: str, branch: str, gate: bool, backoff: str = REDUCES) -> Job:
        """Check out with this backoff, and play the steps until one fails."""
        checkout = self._folder / name
        shutil.copytree(EXAMPLE, checkout)
        source = checkout / "src" / "tcp_gaimd.cc"
        text = source.read_text(encoding="utf-8")
        assert REDUCES in text
        source.write_text(text.replace(REDUCES, backoff), encoding="utf-8")
        given = workflow()["jobs"]["measure"]["steps"][1]["with"]
        chosen = {"branch": branch, "commit": name, "gate": str(gate).lower()}
        inputs = {**defaults(), **given, **chosen}
        home = Path(tempfile.mkdtemp(prefix="windtunnel-home-"))
        home.chmod(0o755)
        data = new_data_folder().data
        (home / "windtunnel").symlink_to(data)
        if self._kept:
            shutil.copy2(self._kept, home / "windtunnel.cache")
        try:
            done = self._play(inputs, checkout, home)
            if (home / "windtunnel.cache").exists():
                self._kept = self._folder / "kept.cache"
                shutil.copy2(home / "windtunnel.cache", self._kept)
        finally:
            shutil.rmtree(home)
            shutil.rmtree(data)
        return done

    def _play(self, inputs: Mapping[str, str], checkout: Path, home: Path) -> Job:
        exported = home / "environment"
        exported.touch()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {
            **UNOPTIMIZED,
            "HOME": str(home),
            "PATH": f"{self._programs}:{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ENV": str(exported),
            "GITHUB_STEP_SUMMARY": str(checkout / "summary.md"),
            "GITHUB_ACTION_PATH": str(self._wheel),
        }
        output = ""
        for step in steps():
            if not applies(step.get("if", ""), inputs):
                continue
            own = {name: evaluated(text, inputs) for name, text in step.get("env", {}).items()}
            lines = exported.read_text(encoding="utf-8").splitlines()
            assert all(re.fullmatch(r"\w+=[\w./-]+", line) for line in lines), lines
            before = dict(line.split("=", 1) for line in lines)
            # As GitHub runs `shell: bash`.
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=checkout, env={**environment, **before, **own},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            )  # fmt: skip
            output += f"== {step['name']}\n{done.stdout}"
            if done.returncode:
                return Job(done.returncode, output, checkout)
        return Job(0, output, checkout)


def workflow() -> Any:
    path = EXAMPLE / ".github" / "workflows" / "congestion-control.yml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def defaults() -> dict[str, str]:
    return {name: entry.get("default", "") for name, entry in action()["inputs"].items()}


def steps() -> Iterator[dict[str, Any]]:
    """The steps that run commands; the others set up Python and move cache files."""
    return (step for step in action()["runs"]["steps"] if "run" in step)


def evaluated(text: str, inputs: Mapping[str, str]) -> str:
    found = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text)
    assert found, text
    return inputs[found[1]]


def applies(condition: str, inputs: Mapping[str, str]) -> bool:
    if not condition:
        return True
    found = re.fullmatch(r"inputs\.(\w+) (==|!=) (?:inputs\.(\w+)|'(.*)')", condition)
    assert found, condition
    other = inputs[found[3]] if found[3] else found[4]
    return (inputs[found[1]] == other) == (found[2] == "==")


@pytest.fixture(scope="module")
def machine(wheel: Path, environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(wheel, environment, tmp_path_factory.mktemp("checkouts"))


@pytest.fixture(scope="module")
def main(machine: Machine) -> Job:
    return machine.job("main", "main", gate=False)


def test_the_workflow_gives_inputs_that_the_action_has() -> None:
    given = workflow()["jobs"]["measure"]["steps"][1]["with"]
    assert set(given) <= set(action()["inputs"])
    required = {name for name, entry in action()["inputs"].items() if entry.get("required")}
    assert required <= set(given)


def test_the_page_shows_the_workflow() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    shown = re.search(r"```yaml\n(- uses: actions/checkout.*?)```", page, re.DOTALL)
    assert shown is not None
    assert yaml.safe_load(shown[1]) == workflow()["jobs"]["measure"]["steps"]


def test_the_page_shows_gitlabs_commands() -> None:
    """The same commands as the action's, with the same options."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    shown = re.search(r"```yaml\n(measure:.*?)```", page, re.DOTALL)
    assert shown is not None
    (job,) = yaml.safe_load(shown[1]).values()
    script = "\n".join(job["script"])
    assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    ours = "\n".join(step["run"] for step in steps())
    for command in ("cache restore", "build", "run", "cache save"):
        assert f"windtunnel {command} " in script
        options = set(re.findall(rf"windtunnel {command} .*?(--\w+)", script))
        assert all(option in ours for option in options), (command, options)


def test_main_measures_what_later_jobs_compare_with(main: Job) -> None:
    assert main.code == 0, main.output
    assert "4 cells x 5 seeds = 20 runs" in main.output
    assert ", 0 reused" in main.output
    assert "saved 20 runs and 1 campaign to" in main.output


def test_a_harmless_change_passes_and_computes_none_of_mains_runs(
    machine: Machine, main: Job
) -> None:
    assert main.code == 0
    job = machine.job("harmless", "pull-1", gate=True, backoff=EQUAL)
    assert job.code == 0, job.output
    assert "restored 20 runs and 1 campaign from" in job.output
    assert ", 10 reused" in job.output  # those of Reno on the stock simulator
    assert "all 3 gates passed" in job.output
    assert "saved" not in job.output
    report = json.loads((job.folder / "windtunnel.json").read_text(encoding="utf-8"))
    assert len(report["gates"]) == 3


def test_a_broken_backoff_fails_with_the_right_line(machine: Machine, main: Job) -> None:
    assert main.code == 0
    job = machine.job("broken", "pull-2", gate=True, backoff=KEEPS)
    assert job.code == 1, job.output
    assert ", 10 reused" in job.output
    failed = re.findall(r"^FAILED  (\S+)  congestion_control=gaimd .*", job.output, re.MULTILINE)
    assert failed == ["packet_delay_ms_mean"] * 2
    line = re.search(r"packet_delay_ms_mean .* against gaimd \w{10}: \+(\d+\.\d) %", job.output)
    assert line is not None
    assert float(line[1]) > 5
    assert "1 of 3 gates failed; reproduce the worst seed:" in job.output
    assert job.output.count("::error title=gate FAILED::") == 2
    suites = ET.parse(job.folder / "windtunnel.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("6", "2")
    assert "FAILED" in (job.folder / "summary.md").read_text(encoding="utf-8")
