"""The README's example algorithm can be built into a simulator."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import BUILT, ROOT, new_data_folder, resolve
from windtunnel.embedded.simulators import newest_simulator
from windtunnel.simulator import describe

README = ROOT / "sim-images" / "ns3" / "README.md"
WINDTUNNEL = Path(sys.executable).parent / "windtunnel"


def test_the_readmes_example_builds_and_runs() -> None:
    folders = new_data_folder()
    pairs = BUILT.builds / "my-algorithm"  # always the same folder: compiled again only in parts
    pairs.mkdir(exist_ok=True)
    header, source = re.findall(r"```cpp\n(.*?)```", README.read_text(), re.DOTALL)
    (pairs / "tcp_third.h").write_text(header)
    (pairs / "tcp_third.cc").write_text(source)
    command = re.search(r"windtunnel (build my-algorithm --name \S+)", README.read_text())
    assert command is not None
    subprocess.run(
        [WINDTUNNEL, *command[1].split(), "--data", folders.data], cwd=BUILT.builds, check=True
    )
    program = newest_simulator(folders, "ns3-third")
    assert program is not None
    ns3 = describe([str(program)])
    assert ns3.name == "ns3-third"
    third = next(choice for choice in ns3.choices("algorithm") if choice["title"] == "third")
    assert third["properties"]["Share"]["x-unit"] == "fraction of the window"
    topology = {"kind": "dumbbell", "pairs": 1, "loss_rate": 0.01}
    goodput = {}
    for share in (0.2, 0.5):
        algorithm = {"kind": "third", "Share": share}
        resolved, problems = resolve(
            ns3,
            {"topology": topology, "workload": "bulk", "algorithm": algorithm, "duration": "20s"},
        )
        assert problems == []
        spec = json.dumps({"simulator": "ns3-third", "seed_index": 1, "scenario": resolved})
        done = subprocess.run([program], input=spec, capture_output=True, text=True, check=True)
        records = map(json.loads, done.stdout.splitlines())
        goodput[share] = next(
            record["value"] for record in records if record.get("name") == "goodput_mbps"
        )
    assert goodput[0.2] > goodput[0.5] > 0  # a smaller cut keeps more under random loss
    shutil.rmtree(folders.data)
