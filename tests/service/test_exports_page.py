"""The examples of docs/export.md, as they are printed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from tests.conftest import Service
from tests.docs.blocks import block

PAGE = "docs/export.md"


@pytest.fixture(scope="module")
def study(service: Service) -> str:
    """Two flows through a bottleneck, with the series that the page asks for and one more."""
    series = yaml.safe_load(block(PAGE, "series: ").text)["series"]
    scenario = {
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "10Mbps"}},
        "workload": {"kind": "bulk", "flows": 2},
        "duration": "1s",
        "series": [*series, {"probe": "cwnd", "at": "flow0"}],
    }
    sweep = {"algorithm": ["newreno", "cubic"]}
    campaign = {"name": "page", "simulator": "ns3", "scenario": scenario, "sweep": sweep}
    id_: str = service.submit({**campaign, "replications": 2})["id"]
    assert service.wait(id_, 120)["runs"]["succeeded"] == 4
    return id_


@pytest.fixture(scope="module")
def files(service: Service, study: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the page's commands write."""
    folder = tmp_path_factory.mktemp("exports")
    commands = block(PAGE, "windtunnel export").text.replace("CAMPAIGN", study)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "WINDTUNNEL_SERVER": service.url}
    run(["bash", "-e", "-c", commands], folder, environment)
    return folder


def run(
    command: Sequence[str | Path], folder: Path, environment: dict[str, str] | None = None
) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_write_what_the_page_names(files: Path) -> None:
    assert {path.name for path in files.iterdir()} >= {
        *("runs.csv", "runs.parquet", "two.csv", "comparison.csv", "flows.parquet"),
        *("cwnd.parquet", "tables.tex", "flent"),
    }
    assert len((files / "two.csv").read_text().splitlines()) == 1 + 4 * 2
    assert len(list((files / "flent").glob("*.flent.gz"))) == 4


@pytest.mark.parametrize(("library", "size"), [("pandas", "[4 rows x "), ("polars", ", 3)")])
def test_data_frames(files: Path, library: str, size: str) -> None:
    shown = run([sys.executable, "-c", block(PAGE, f"import {library}").text], files)
    assert size in shown


def test_r(files: Path) -> None:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("Rscript is not installed")
    assert "goodput_mbps" in run([program, "-e", block(PAGE, "runs <- read.csv").text], files)


@pytest.mark.long
def test_latex(files: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    package, tables = block(PAGE, "\\usepackage").text.splitlines()
    document = ["\\documentclass{article}", package, "\\begin{document}", tables, "\\end{document}"]
    (files / "paper.tex").write_text("\n".join(document))
    run([program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], files)
    assert (files / "paper.pdf").exists()
