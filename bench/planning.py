"""What reading and planning costs for files that are as expensive as they can be.

Each file is read and planned in a process of its own; CPU time and peak memory are those beyond a
small campaign's. Goals: a refused file takes at most 2 s and 200 MB, an accepted one 0.1 ms and
3 KB more for each run.

    PYTHONPATH=. .venv/bin/python bench/planning.py
"""

from __future__ import annotations

import functools
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

from tests.conftest import BUILT, FAT_TREE
from windtunnel.embedded.simulators import newest_simulator
from windtunnel.errors import SpecError
from windtunnel.plan import make_plan
from windtunnel.simulator import describe
from windtunnel.spec import Document, read_campaign, read_json, read_yaml
from windtunnel.spec.description import Description

MEGABYTE = 2**20
DUMBBELL = {"kind": "dumbbell", "queue": {"kind": "drop-tail", "limit": "20p"}}
GROUPS = [{"name": f"g{number}", "algorithm": "cubic", "flows": 1} for number in range(100)]


def campaign(scenario: Any, sweep: Any = None, **fields: Any) -> str:
    """A campaign file; the algorithm is cubic unless the scenario or an axis says otherwise."""
    if "algorithm" not in (sweep or {}):
        scenario = {"algorithm": "cubic", **scenario}
    return json.dumps({"name": "x", "scenario": scenario, "sweep": sweep or {}, **fields})


def pairs(count: int) -> dict[str, Any]:
    rows = [[number % 16, (number + 1) % 16] for number in range(count)]
    return {**FAT_TREE, "workload": {"kind": "random-pairs", "flows": count, "pairs": rows}}


def grouped(groups: Any) -> dict[str, Any]:
    workload = {"kind": "bulk", "groups": groups}
    return {"topology": DUMBBELL, "workload": workload, "duration": "1s"}


def unknown(prefix: str, count: int) -> dict[str, int]:
    return {f"{prefix}{number}": 1 for number in range(count)}


ALGORITHMS = ["newreno", "cubic", "vegas", "bic", "yeah"]
LIMITS = [f"{packets}p" for packets in range(10, 1010)]
STARTS = [f"{number}ms" for number in range(900)]
LONG = "x" * 99
FILES: dict[str, str] = {
    "small": campaign(FAT_TREE),
    "JSON: one key 80,000 times": "{" + ",".join(['"aaaa": 1'] * 80_000) + "}",
    "JSON: 500,000 values": "[" + "0," * 500_000 + "0]",
    "JSON: 300,000 empty lists": "[" + "[]," * 300_000 + "[]]",
    "JSON: 1,000 levels": "[" * 990 + "]" * 990,
    "JSON: a key of 500 kB around 90,000 values": json.dumps(
        {"k" * 500_000: [0] * 90_000, "name": 1}
    ),
    "JSON: 90,000 unknown fields": json.dumps({"name": "x", **unknown("f", 90_000)}),
    "JSON: 90,000 values, an error at the end": campaign(
        {**pairs(29_000), "algorithm": "cubik"}, description="x" * 400_000
    ),
    "YAML: 260,000 values in lines": "- x\n" * 260_000,
    "YAML: 340,000 values in a line": "[" + "x, " * 340_000 + "]",
    "YAML: 99,000 values, an error at the end": "name: x\na:\n" + "- x\n" * 99_000,
    "YAML: a million brackets": "[" * 1_000_000,
    "YAML: 300,000 mappings in each other": "{a: " * 250_000,
    "YAML: aliases of aliases": "a0: &a0 [x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)),
    "YAML: aliases of a long text": f"a: &a {'x' * 500_000}\nb: [{', '.join(['*a'] * 90_000)}]",
    "YAML: 90,000 anchors": "".join(f"- &a{i} x\n" for i in range(90_000)),
    "YAML: 40,000 directives": "".join(f"%TAG !a{i}! t\n" for i in range(40_000)) + "--- x",
    "40,000 axis values": campaign(FAT_TREE, {"topology.queue.limit": list(range(40_000))}),
    "11 axes": campaign(FAT_TREE, {f"x{number}": [1] for number in range(11)}),
    "90,000 paths on one axis": campaign(FAT_TREE, {"x": [{"label": "a", **unknown("p", 90_000)}]}),
    "5,000 cells, an error in the last": campaign(
        FAT_TREE, {"topology.queue.limit": [*LIMITS[:-1], "x"], "algorithm": ALGORITHMS}
    ),
    "5,000 cells, the same twice": campaign(
        FAT_TREE, {"topology.queue.limit": [*LIMITS, "10 p"], "algorithm": ALGORITHMS[:4]}
    ),
    "a list of 90,000 values copied by each cell": campaign(
        pairs(29_000),
        {"x": [{"label": str(i), "workload.pairs[0][0]": i % 9 + 2} for i in range(500)]},
    ),
    "a list of 90,000 values stored by each cell": campaign(
        pairs(29_000), {"topology.queue.limit": LIMITS}
    ),
    "100 groups, each cell others": campaign(grouped(GROUPS), {"workload.groups[0].start": STARTS}),
    "100 wrong groups in each cell": campaign(
        grouped([{**group, "flows": "x"} for group in GROUPS]), {"topology.queue.limit": LIMITS}
    ),
    "99 unknown fields in each cell": campaign(
        {**FAT_TREE, **unknown("algorithn", 99)}, {"topology.queue.limit": LIMITS}
    ),
    "100 paths on each of 10 axes": campaign(
        {**FAT_TREE, "algorithm": "cubik"},
        {
            f"x{axis}": [
                {"label": str(value), **unknown(f"workload.f{axis}", 99)} for value in range(2)
            ]
            for axis in range(10)
        },
    ),
    "labels of 100 characters, 5,000 cells": campaign(
        FAT_TREE,
        {
            "algorithm": [{"label": f"{LONG}{i}", "kind": a} for i, a in enumerate(ALGORITHMS)],
            "x": [
                {"label": f"{number:0100}", "topology.queue.limit": limit}
                for number, limit in enumerate(LIMITS)
            ],
        },
    ),
    "5,000 cells x 20 seeds": campaign(
        FAT_TREE, {"topology.queue.limit": LIMITS, "algorithm": ALGORITHMS}, replications=20
    ),
    "100 groups in 100 cells": campaign(
        grouped(GROUPS), {"transport.min_rto": [f"{number}ms" for number in range(300, 400)]}
    ),
}


def main() -> None:
    description = describe([str(newest_simulator(BUILT))])
    print(f"{'file':<46}{'size':>8}{'CPU':>9}{'memory':>10}{'runs':>9}")
    floor = 0.0
    for name, text in FILES.items():
        read = read_yaml if name.startswith("YAML") else read_json
        work = functools.partial(_plan, read, text, description)
        cpu_seconds, peak, outcome = _in_child(work)
        floor = floor or peak
        runs = str(outcome) if isinstance(outcome, int) else "refused"
        print(
            f"{name:<46}{len(text) / 1e6:>5.2f} MB{cpu_seconds:>7.2f} s"
            f"{(peak - floor) / MEGABYTE:>7.0f} MB{runs:>9}"
            + (f"  {outcome[:90]}" if isinstance(outcome, str) else "")
        )


def _plan(read: Callable[[bytes], Document], text: str, description: Description) -> int | str:
    """The number of runs, or the error."""
    try:
        document = read(text.encode())
        return make_plan(read_campaign(document), {"ns3": description}, document).run_count
    except SpecError as error:
        return str(error)


def _in_child(work: Callable[[], int | str]) -> tuple[float, float, int | str]:
    """CPU seconds, peak memory in bytes and result of a function."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def run() -> None:
        begin = time.process_time()
        result = work()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        sending.send((time.process_time() - begin, peak, result))

    process = context.Process(target=run)
    process.start()
    sending.close()
    answer: tuple[float, float, int | str] = receiving.recv()
    process.join()
    return answer


if __name__ == "__main__":
    main()
