"""Runs every experiment, then writes docs/validation.md and its plots."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validation import experiments, page, plots
from validation.runs import Simulator

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main() -> None:
    """With the argument ``page``, writes the page from the saved results."""
    saved = DOCS / "validation" / "results.json"
    if sys.argv[1:] == ["page"]:
        write(experiments.Results.load(saved))
        return
    simulator = Simulator.installed()
    seconds: dict[str, float] = {}

    def timed(name: str, experiment: Callable[[Simulator], Any]) -> Any:
        begin = time.monotonic()
        print(f"  {name} ...", flush=True)
        result = experiment(simulator)
        seconds[name] = time.monotonic() - begin
        print(f"  {name}: {seconds[name]:.0f} s", flush=True)
        return result

    build = simulator.description
    results = experiments.Results(
        simulator=f"{build.name}@{build.digest} ({build.engine})",
        dctcp=timed("DCTCP's queue", experiments.dctcp_queues),
        vegas=timed("Vegas' backlog", experiments.vegas_backlogs),
        bbr=timed("BBR under loss", experiments.bbr_throughput),
        responses=timed("response functions", experiments.response_functions),
        seconds=seconds,
    )
    results.save(saved)
    write(results)


def write(results: experiments.Results) -> None:
    plots.draw_all(results, DOCS / "validation")
    (DOCS / "validation.md").write_text(page.page(results), encoding="utf-8")
    print("  wrote docs/validation.md")


if __name__ == "__main__":
    main()
