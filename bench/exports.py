"""Exports of 1,000 and 10,000 runs with 30 metrics: seconds, size, CPU and memory of the API.

Everything real: PostgreSQL, uvicorn, HTTP; synthetic results are written straight into PostgreSQL.

    .venv/bin/python bench/exports.py
"""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pandas as pd

from bench.service import load_results
from tests.conftest import FAT_TREE, Service, start_service
from tests.workers import worker_processes
from windtunnel import Client
from windtunnel.client.http import HttpClient

METRICS = 30
SEEDS = 5
CELLS = (200, 2000)
ALGORITHMS = ("newreno", "cubic", "vegas", "bic", "yeah")
FORMATS = ("csv", "parquet", "json")


def main() -> None:
    for service in start_service(None, 2):
        _measure(service)


def _measure(service: Service) -> None:
    for pid in worker_processes(service):  # it is not to do these runs
        os.kill(pid, signal.SIGSTOP)
    campaigns = {cells * SEEDS: _campaign(service, cells) for cells in CELLS}
    (api,) = [part.child.pid for part in service.running._parts if part.name == "API"]
    print(f"API before any export: {_resident(api):.0f} MB")
    print("  runs  format     rows  file (MB)  seconds  API: CPU s  peak MB  pandas reads it in")
    with tempfile.TemporaryDirectory() as folder, HttpClient(service.url) as client:
        for kind in FORMATS:
            for runs, campaign in campaigns.items():
                file = Path(folder, f"runs.{kind}")
                before = _cpu_seconds(api)
                with _peak(api) as peak:
                    seconds = _timed(partial(_export, client, campaign, kind, file))
                cpu = _cpu_seconds(api) - before
                reading, rows = _read(file, kind)
                print(
                    f"{runs:>6}  {kind:<8} {rows:>7}  {file.stat().st_size / 1e6:>9.1f}  "
                    f"{seconds:>7.1f}  {cpu:>10.1f}  {peak():>7.0f}  {reading:>18}"
                )
    _measure_client(service, campaigns)


def _measure_client(service: Service, campaigns: Mapping[int, str]) -> None:
    """``Client.runs()``: the first time, and again from the local cache."""
    print("  runs  data frame, first (s)  again, median of 5 (s)")
    with tempfile.TemporaryDirectory() as folder:
        for runs, campaign in campaigns.items():
            shown = Client(service.url, cache=folder).campaign(campaign)
            first = _timed(shown.runs)
            again = statistics.median(_timed(shown.runs) for _ in range(5))
            print(f"{runs:>6}  {first:>21.2f}  {again:>22.2f}")


def _campaign(service: Service, cells: int) -> str:
    """A campaign whose runs have all succeeded, with METRICS metrics each."""
    limits = [f"{packets}p" for packets in range(cells, cells + cells // len(ALGORITHMS))]
    campaign = {
        "name": f"export-{cells}",
        "simulator": "ns3",
        "scenario": FAT_TREE,
        "sweep": {"algorithm": list(ALGORITHMS), "topology.queue.limit": limits},
        "replications": SEEDS,
    }
    answer = service.http.post("/campaigns", json=campaign, timeout=120)
    assert answer.status_code == 202, answer.text
    id_: str = answer.json()["id"]
    load_results(service, id_, METRICS)
    return id_


def _export(client: HttpClient, campaign: str, kind: str, file: Path) -> None:
    with file.open("wb") as sink:
        client.download(f"/campaigns/{campaign}/export", {"format": kind}, sink)


def _read(file: Path, kind: str) -> tuple[str, int]:
    readers: dict[str, Callable[[Path], pd.DataFrame]] = {
        "csv": pd.read_csv, "parquet": pd.read_parquet,
    }  # fmt: skip
    if kind not in readers:
        return "-", file.read_bytes().count(b'"metric":')
    frames: list[pd.DataFrame] = []
    seconds = _timed(lambda: frames.append(readers[kind](file)))
    return f"{seconds:.2f} s", len(frames[0])


def _timed(action: Callable[[], object]) -> float:
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


@contextmanager
def _peak(pid: int) -> Iterator[Callable[[], float]]:
    """The largest resident memory in MB during the block, sampled every 20 ms."""
    samples = [_resident(pid)]
    done = threading.Event()

    def sample() -> None:
        while not done.wait(0.02):
            samples.append(_resident(pid))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield lambda: max(samples)
    finally:
        done.set()
        thread.join()


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


if __name__ == "__main__":
    main()
