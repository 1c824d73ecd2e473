"""Runs scenarios on the installed simulator, as many at once as there are cores."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel.embedded.folders import Folders, default_data
from windtunnel.embedded.simulators import newest_simulator
from windtunnel.simulator import describe
from windtunnel.spec.description import Description

Metrics = dict[str, float]
Job = tuple[dict[str, Any], int]  # scenario, seed index


@dataclass(frozen=True)
class Simulator:
    program: Path
    description: Description

    @classmethod
    def installed(cls) -> Simulator:
        program = newest_simulator(Folders(default_data()))
        assert program is not None, "make setup-test builds the simulator"
        return cls(program, describe([str(program)]))

    def run(self, jobs: Sequence[Job]) -> list[Metrics]:
        """The metrics of every job, in order. A broken check is an error."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda job: self._one(*job), jobs))

    def _one(self, scenario: dict[str, Any], seed_index: int) -> Metrics:
        resolution = self.description.resolver().resolve(scenario)
        assert not resolution.problems, resolution.problems
        resolved = resolution.scenario
        spec = {"simulator": "ns3", "seed_index": seed_index, "scenario": resolved}
        done = subprocess.run(
            [self.program], input=json.dumps(spec), capture_output=True, text=True, check=True
        )
        records = [json.loads(line) for line in done.stdout.splitlines()]
        assert all(record["held"] for record in records if record["type"] == "check")
        metrics = {
            record["name"]: record["value"] for record in records if record["type"] == "metric"
        }
        metadata = records[-1]["metadata"]
        return metrics | {
            "cpu_seconds": metadata["cpu_seconds"],
            "peak_memory_mb": metadata["peak_memory_bytes"] / 1e6,
            "events": records[-1]["events"],
        }
