"""The example models in the simulator's README: extracted, built once, and run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BUILT, ROOT, new_data_folder, records_of, resolve
from tests.simulator.test_facts import check_topology
from windtunnel.embedded.simulators import newest_simulator
from windtunnel.plan import make_plan
from windtunnel.simulator import describe
from windtunnel.spec import Document, read_campaign, read_yaml
from windtunnel.spec.description import Description

README = ROOT / "sim-images" / "ns3" / "README.md"
WINDTUNNEL = Path(sys.executable).parent / "windtunnel"
_FILE = re.compile(r"^`mine/([\w.]+)`:\n\n```(?:cpp|json)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    """The simulator that the README's command builds from the README's files."""
    text = README.read_text(encoding="utf-8")
    files = dict(_FILE.findall(text))
    assert len(files) == text.count("```cpp") + text.count("```json")
    folder = BUILT.builds / "mine"  # always the same one: only what changed is compiled again
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    command = re.search(r"windtunnel (build mine --name \S+)", text)
    assert command is not None
    folders = new_data_folder()
    try:
        subprocess.run(
            [WINDTUNNEL, *command[1].split(), "--data", folders.data], cwd=BUILT.builds, check=True
        )
        built = newest_simulator(folders, "ns3-mine")
        assert built is not None
        yield built
    finally:
        shutil.rmtree(folders.data)


@pytest.fixture(scope="module")
def mine(program: Path) -> Description:
    return describe([str(program)])


def run(mine: Description, program: Path, **scenario: Any) -> list[dict[str, Any]]:
    resolved, problems = resolve(mine, scenario)
    assert problems == []
    spec = {"simulator": mine.name, "seed_index": 1, "scenario": resolved}
    records = records_of(program, spec)
    assert all(record["held"] for record in records if record["type"] == "check")
    return records


def metric(records: list[dict[str, Any]], name: str) -> float:
    value: float = next(record["value"] for record in records if record.get("name") == name)
    return value


def test_the_catalogue_has_all_of_them(mine: Description) -> None:
    assert mine.name == "ns3-mine"
    choices = {
        part: {choice["title"]: choice for choice in mine.choices(part)}
        for part in ("algorithm", "topology", "workload")
    }
    share = choices["algorithm"]["third"]["properties"]["Share"]
    assert share["x-unit"] == "fraction of the window"
    window = choices["algorithm"]["fixed-window"]["properties"]["Window"]
    assert (window["minimum"], window["maximum"], window["default"]) == (1, 10000, 10)
    assert "star" in choices["topology"]
    assert "staggered" in choices["workload"]


def test_the_readmes_campaign_is_accepted(mine: Description) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    plan = make_plan(read_campaign(Document(read_yaml(block).value)), {"ns3-mine": mine})
    assert [cell.coordinates["algorithm"].split()[0] for cell in plan.cells] == [
        *("newreno", "third", "third", "fixed-window")
    ]


def test_a_smaller_cut_keeps_more_under_random_loss(mine: Description, program: Path) -> None:
    topology = {"kind": "dumbbell", "pairs": 1, "loss_rate": 0.01}
    goodput = [
        metric(
            run(
                mine,
                program,
                topology=topology,
                workload="bulk",
                algorithm={"kind": "third", "Share": share},
                duration="20s",
            ),
            "goodput_mbps",
        )
        for share in (0.2, 0.5)
    ]
    assert goodput[0] > goodput[1] > 0


@pytest.mark.parametrize("window", [1, 4])
def test_a_fixed_window_gives_one_window_each_round_trip(
    mine: Description, program: Path, window: int
) -> None:
    """On links so fast that serialization is 0.2 % of the round-trip time of 20 ms."""
    link = {"rate": "1Gbps", "delay": "5ms"}
    records = run(
        mine,
        program,
        topology={"kind": "star", "hosts": 2, "link": link},
        workload={"kind": "bulk", "pairs": [[0, 1]], "start_jitter": "0s"},
        algorithm={"kind": "fixed-window", "Window": window},
        duration="5s",
        warmup="1s",
    )
    expected = window * 1448 * 8 / 20e-3 / 1e6
    assert metric(records, "goodput_mbps") == pytest.approx(expected, rel=0.005)


def test_a_star_is_what_its_schema_says(mine: Description, program: Path) -> None:
    link = {"rate": "50Mbps", "delay": "3us"}
    check_topology(mine, program, {"kind": "star", "hosts": 5, "link": link})


def test_flows_on_a_star_fill_their_receivers_links(mine: Description, program: Path) -> None:
    records = run(
        mine,
        program,
        topology={"kind": "star", "hosts": 4},
        workload={"kind": "bulk", "flows": 2, "pairs": [[0, 1], [2, 3]]},
        algorithm="newreno",
        duration="2s",
        warmup="1s",
    )
    goodput = [flow["goodput_mbps"] for flow in records if flow["type"] == "flow"]
    assert goodput == pytest.approx([94, 94], rel=0.03)


def test_staggered_flows_start_an_interval_apart(mine: Description, program: Path) -> None:
    workload = {"kind": "staggered", "flows": 4, "interval": "30ms"}
    records = run(
        mine,
        program,
        topology={"kind": "star", "hosts": 4},
        workload=workload,
        algorithm="cubic",
        duration="200ms",
    )
    flows = [record for record in records if record["type"] == "flow"]
    assert [flow["start_ns"] for flow in flows] == [0, 30e6, 60e6, 90e6]
    assert all(flow["bytes"] > 0 for flow in flows)


def test_the_last_staggered_flow_must_start_before_the_end(mine: Description) -> None:
    scenario = {
        "topology": "star",
        "workload": {"kind": "staggered", "flows": 3, "interval": "1s"},
        "algorithm": "cubic",
        "duration": "2s",
    }
    _, problems = resolve(mine, scenario)
    assert [problem.path for problem in problems] == ["scenario.workload.interval"]
