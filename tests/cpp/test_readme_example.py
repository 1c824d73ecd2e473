"""The README's algorithm, a pair of files, becomes one of the catalogue's by being there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

from tests.conftest import BUILT, ROOT
from windtunnel.embedded.simulators import compile_ns3
from windtunnel.simulator import describe

SOURCES = ROOT / "sim-images" / "ns3"


def test_the_readmes_example_builds_and_runs() -> None:
    copy = BUILT.builds / "readme-example"
    shutil.copytree(SOURCES, copy, dirs_exist_ok=True)  # with its times: built again only in parts
    header, source = re.findall(r"```cpp\n(.*?)```", (SOURCES / "README.md").read_text(), re.S)
    (copy / "congestion" / "tcp_third.h").write_text(header)
    (copy / "congestion" / "tcp_third.cc").write_text(source)
    program = compile_ns3(BUILT, lambda _: None, source=copy) / "windtunnel-ns3"

    ns3 = describe([str(program)])
    third = next(one for one in ns3.choices("algorithm") if one["title"] == "third")
    assert third["properties"]["Share"]["x-unit"] == "fraction of the window"
    topology = {"kind": "dumbbell", "pairs": 1, "loss": 0.01}
    goodput = {}
    for share in (0.2, 0.5):
        algorithm = {"kind": "third", "Share": share}
        resolved, problems = ns3.resolver().resolve(
            {"topology": topology, "workload": "bulk", "algorithm": algorithm, "duration": "20s"}
        )
        assert problems == []
        spec = json.dumps({"simulator": "ns3", "seed_index": 1, "scenario": resolved})
        done = subprocess.run([program], input=spec, capture_output=True, text=True, check=True)
        records = map(json.loads, done.stdout.splitlines())
        goodput[share] = next(one["value"] for one in records if one.get("name") == "goodput_mbps")
    assert goodput[0.2] > goodput[0.5] > 0  # a smaller cut keeps more under random loss
