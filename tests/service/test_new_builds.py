"""Campaigns are planned on the build that is installed at that moment."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx2
import pytest

from tests.conftest import TINY, new_data_folder, tiny_campaign
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.service import EmbeddedService, wait_until_offered
from windtunnel.embedded.simulators import PROGRAM
from windtunnel.simulator import describe

WINDTUNNEL = Path(sys.executable).parent / "windtunnel"


@pytest.fixture
def folders() -> Iterator[Folders]:
    folders = new_data_folder()
    yield folders
    shutil.rmtree(folders.data, ignore_errors=True)


def rebuild(folders: Folders, edit: str) -> str:
    """Install an edited simulator as `make simulator` does, under its digest; the digest."""
    build = folders.data / "built"
    build.write_text(TINY.read_text() + f"# {edit}\n")
    build.chmod(0o755)
    digest = describe([str(build)]).digest
    program = folders.simulators / "tiny" / digest / "windtunnel-tiny"
    program.parent.mkdir()
    fresh = program.with_name(".fresh")
    shutil.copy2(build, fresh)
    fresh.rename(program)
    return digest


@contextmanager
def serving(folders: Folders) -> Iterator[tuple[str, Lines]]:
    """`windtunnel serve` until Ctrl-C: its address, and the lines that it prints."""
    command = [str(WINDTUNNEL), "serve", "--data", str(folders.data)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), True)
        address = process.stdout.readline().split()[3]
        lines = [process.stdout.readline()]
        os.set_blocking(process.stdout.fileno(), False)
        yield address, Lines(process.stdout, lines)
        process.send_signal(signal.SIGINT)
        process.wait(30)


class Lines(list[str]):
    """The lines printed so far."""

    def __init__(self, stream: IO[str], lines: list[str]) -> None:
        super().__init__(lines)
        self._stream = stream

    def text(self) -> str:
        while line := self._stream.readline():
            self.append(line)
        return "".join(self)


def owner(folders: Folders) -> dict[str, str]:
    """The header of the data folder's owner."""
    return {"Authorization": f"Bearer {folders.token.read_text().strip()}"}


def submitted(folders: Folders, address: str) -> dict[str, Any]:
    campaign = tiny_campaign("same", offset=1)
    answer = httpx2.post(
        f"{address}/api/v1/campaigns", json=campaign, headers=owner(folders), timeout=30
    )
    assert answer.status_code == 202, answer.text
    accepted: dict[str, Any] = answer.json()
    return accepted


def ended(folders: Folders, address: str, campaign: dict[str, Any]) -> dict[str, Any]:
    path = f"{address}/api/v1/campaigns/{campaign['id']}"
    deadline = time.monotonic() + 40
    while not (state := httpx2.get(path, headers=owner(folders), timeout=10).json())["ended"]:
        assert time.monotonic() < deadline, state
        time.sleep(0.1)
    campaign_state: dict[str, Any] = state
    return campaign_state


def test_serve_edit_build_serve_plans_the_new_build(folders: Folders) -> None:
    """Submitted as soon as the second service answers, soon after the first one's worker ended."""
    with serving(folders) as (address, lines):
        first = ended(folders, address, submitted(folders, address))
        assert f", tiny {first['simulators'][0]['digest'][:8]} (built " in lines[0]
        digest = rebuild(folders, "an edit")
    with serving(folders) as (address, lines):
        second = submitted(folders, address)
        assert [simulator["digest"] for simulator in second["simulators"]] == [digest]
        assert second["reused_runs"] == 0
        assert f", tiny {digest[:8]} (built today " in lines[0]
        assert ended(folders, address, second)["runs"]["succeeded"] == 1


@pytest.mark.long
def test_run_interrupt_edit_build_run_plans_the_new_build(folders: Folders) -> None:
    file = folders.data / "study.json"
    file.write_text(json.dumps(tiny_campaign("same", sweep={"offset": [1, 2, 3]}, wall=2)))
    command = [str(WINDTUNNEL), "run", str(file), "--data", str(folders.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert "0 reused" in first.stdout.readline()
        time.sleep(3)  # the first runs land
        first.send_signal(signal.SIGINT)
        assert first.wait(30) == 130
    digest = rebuild(folders, "an edit")
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert f"3 runs on tiny {digest[:8]} (built today " in done.stdout
    assert ", 0 reused" in done.stdout


def test_a_running_service_notices_a_new_build_offers_it_and_says_so(folders: Folders) -> None:
    with serving(folders) as (address, lines):
        first = ended(folders, address, submitted(folders, address))
        digest = rebuild(folders, "an edit")
        deadline = time.monotonic() + 20
        while f"new build of tiny: {digest[:8]}" not in lines.text():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        second = submitted(folders, address)
        assert [simulator["digest"] for simulator in second["simulators"]] == [digest]
        assert ended(folders, address, second)["runs"]["succeeded"] == 1
        # The old build can still be named.
        pinned = {**tiny_campaign("old", offset=5), "simulator": f"tiny@{first_digest(first)[:12]}"}
        answer = httpx2.post(
            f"{address}/api/v1/campaigns", json=pinned, headers=owner(folders), timeout=30
        ).json()
        assert ended(folders, address, answer)["runs"]["succeeded"] == 1


def test_reinstalling_an_older_build_makes_it_current(folders: Folders) -> None:
    """As after `git checkout` and `make simulator`, which ends when a running service knows."""
    older = rebuild(folders, "older")
    with serving(folders) as (address, _):
        newer = rebuild(folders, "newer")
        wait_until_offered(folders, "tiny", newer)
        assert first_digest(submitted(folders, address)) == newer
        os.utime(folders.simulators / "tiny" / older)
        wait_until_offered(folders, "tiny", older)
        assert first_digest(submitted(folders, address)) == older


def test_a_build_that_was_removed_is_not_planned(folders: Folders) -> None:
    """Even if it is the newest that was ever available."""
    digest = rebuild(folders, "an edit")
    with serving(folders) as (address, _):
        assert first_digest(submitted(folders, address)) == digest
    shutil.rmtree(folders.simulators / "tiny" / digest)
    with serving(folders) as (address, _):
        campaign = submitted(folders, address)
        assert first_digest(campaign) != digest
        assert ended(folders, address, campaign)["runs"]["succeeded"] == 1


def first_digest(campaign: dict[str, Any]) -> str:
    digest: str = campaign["simulators"][0]["digest"]
    return digest


def test_a_build_of_an_earlier_contract_is_replaced() -> None:
    """As after an upgrade: the newest installed program no longer describes itself as expected."""
    folders = new_data_folder()
    earlier = folders.simulators / "ns3" / ("0" * 64) / PROGRAM
    earlier.parent.mkdir()
    earlier.write_text("#!/bin/sh\necho '{\"contract\": 1}'\n", encoding="utf-8")
    earlier.chmod(0o755)
    messages: list[str] = []
    try:
        with EmbeddedService(folders, messages.append, slots=1) as service:
            names = {build.description.name for build in service.builds()}
    finally:
        shutil.rmtree(folders.data, ignore_errors=True)
    assert "ns3" in names
    assert "the installed simulator ns3 is of an earlier version" in messages
