"""Every exported table against the database and the comparison, in formats for data and people."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import httpx2
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import text, update

from tests.commands import windtunnel
from tests.conftest import Service, tiny_campaign
from windtunnel.store.database import Database
from windtunnel.store.tables import Run

FLENT = Path(sys.executable).parent / "flent"

LABELS = ["=cmd()", "50%", "a_b", '"q"', "x,y", r"\$#&{}~^", "[1|2]", "`<b>*"]
SEEDS = 3


@pytest.fixture(scope="module")
def study(service: Service) -> str:
    cases = [{"label": label, "offset": 100 * index} for index, label in enumerate(LABELS)]
    campaign = tiny_campaign(
        "tables",
        sweep={"case": cases},
        replications=SEEDS,
        baseline={"case": "a_b"},
        delays=3,
        goodput=1.5,
    )
    id_: str = service.submit(campaign)["id"]
    assert service.wait(id_)["runs"]["succeeded"] == len(LABELS) * SEEDS
    return id_


@pytest.fixture(scope="module")
def dumbbell(service: Service) -> str:
    """Two flows through a bottleneck in ns-3, with series of each flow."""
    scenario = {
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "10Mbps"}},
        "workload": {"kind": "bulk", "flows": 2},
        "duration": "2s",
        "series": [
            {"probe": "goodput", "at": "flows", "step": "100ms"},
            {"probe": "rtt", "at": "flows", "step": "50ms"},
        ],
    }
    sweep = {"algorithm": ["newreno", "cubic"]}
    campaign = {"name": "dumbbell", "simulator": "ns3", "scenario": scenario, "sweep": sweep}
    id_: str = service.submit({**campaign, "replications": 2})["id"]
    assert service.wait(id_, 120)["runs"]["succeeded"] == 4
    return id_


def export(service: Service, campaign: str, **params: Any) -> httpx2.Response:
    response = service.http.get(f"/campaigns/{campaign}/export", params=params)
    assert response.status_code == 200, response.text
    return response


def parquet(service: Service, campaign: str, **params: Any) -> pa.Table:
    content = export(service, campaign, format="parquet", **params).content
    return pq.read_table(io.BytesIO(content))


def test_parquet_json_and_csv_have_the_same_rows(service: Service, study: str) -> None:
    table = parquet(service, study)
    document = export(service, study, format="json").json()
    assert document["rows"] == table.to_pylist()
    assert [column["name"] for column in document["columns"]] == table.column_names
    assert document["campaign"] == json.loads((table.schema.metadata or {})[b"windtunnel"])
    assert document["campaign"]["complete"] is True
    csv = pd.read_csv(io.BytesIO(export(service, study).content))
    assert csv["value"].tolist() == table.column("value").to_pylist()
    assert table.column("case").unique().to_pylist() == LABELS
    assert csv["case"].unique().tolist() == ["'=cmd()", *LABELS[1:]]


def test_pandas_and_polars_read_parquet(service: Service, study: str) -> None:
    content = export(service, study, format="parquet").content
    assert pd.read_parquet(io.BytesIO(content))["value"].dtype == "float64"
    assert pl.read_parquet(io.BytesIO(content)).schema["seed"] == pl.Int64


def test_flows_are_the_runs_records(service: Service, database: Database, dumbbell: str) -> None:
    table = parquet(service, dumbbell, what="flows")
    assert table.num_rows == 4 * 2
    assert table.column_names[:5] == ["cell", "algorithm", "seed", "run", "flow"]
    rows = table.to_pylist()
    for run in service.runs(dumbbell):
        records = service.get(f"/runs/{run['id']}/flows")["flows"]
        mine = [row for row in rows if row["run"] == run["id"]]
        assert [row["goodput_mbps"] for row in mine] == [one["goodput_mbps"] for one in records]
        assert [row["flow"] for row in mine] == [one["flow"] for one in records]
        assert {json.loads(row["path"])[0] for row in mine} == {one["path"][0] for one in records}
    types = {"bytes": "int64", "connected": "bool", "bottleneck": "string"}
    assert {name: str(table.schema.field(name).type) for name in types} == types


def test_series_have_a_row_per_sample(service: Service, dumbbell: str) -> None:
    name = "goodput flow1"
    table = parquet(service, dumbbell, what="series", series=name)
    run = service.runs(dumbbell)[0]["id"]
    shown = service.get(f"/runs/{run}/series/{name}", full=True)
    mine = [row for row in table.to_pylist() if row["run"] == run]
    assert [row["value"] for row in mine] == pytest.approx(shown["values"])
    assert [row["time_s"] for row in mine] == [time / 1e9 for time in shown["times_ns"]]
    assert {row["unit"] for row in mine} == {"Mb/s"}
    assert str(table.schema.field("value").type) == "float"
    everything = parquet(service, dumbbell, what="series").column("series").unique().to_pylist()
    assert everything == ["goodput", "goodput flow0", "goodput flow1", "rtt flow0", "rtt flow1"]


def test_csv_of_float32_is_the_shortest(service: Service, study: str) -> None:
    lines = export(service, study, what="series").text.splitlines()
    assert lines[1].split(",")[-3:] == ["things", "0.0", "0.5"]
    assert lines[3].split(",")[-3:] == ["things", "0.002", "1.0"]


def test_packet_delays(service: Service, study: str) -> None:
    rows = parquet(service, study, what="packet-delays").to_pylist()
    assert len(rows) == len(LABELS) * SEEDS * 3
    third = [row for row in rows if row["cell"] == 0 and row["seed"] == 3]
    assert [(row["delay_ns"], row["packets"]) for row in third] == [
        (1_000_000, 3), (2_000_000, 6), (3_000_000, 9),
    ]  # fmt: skip


def test_comparison_rows_are_those_of_the_document(service: Service, study: str) -> None:
    frame = pd.read_csv(io.BytesIO(export(service, study, what="comparison").content))
    compared = service.get(f"/campaigns/{study}/comparison")
    metrics = [metric["name"] for metric in compared["metrics"]]
    assert len(frame) == len(LABELS) * len(metrics)
    row = frame[(frame.cell == 1) & (frame.metric == "value")].iloc[0]
    expected = compared["cells"][1]["metrics"]["value"]
    assert (row["n"], row["mean"], row["sd"]) == (3, 102.0, 1.0)
    assert (row["ci_low"], row["ci_high"]) == tuple(expected["estimate"]["ci95"])
    assert (row["difference"], row["verdict"]) == (-100.0, expected["verdict"]["label"])
    assert row["relative"] == expected["against_baseline"]["relative_mean"]
    assert frame[frame.is_baseline]["difference"].isna().all()
    assert "seed" not in frame.columns


def test_markdown_shows_the_default_metrics(service: Service, study: str) -> None:
    shown = export(service, study, format="markdown").text
    assert re.findall(r"^## (.*)$", shown, re.M) == ["value (things)"]
    assert (
        "| case | mean ± 95 % | difference to a\\_b | verdict |\n| --- | ---: | ---: | --- |"
        in shown
    )
    assert "| a\\_b | 202.0 ± 2.5 | baseline |  |" in shown
    assert "| \\[1\\|2\\] | 602.0 ± 2.5 |" in shown
    named = export(service, study, format="markdown", metric="goodput_mbps").text
    assert "## goodput mbps (Mb/s)" in named


def test_latex_escapes_what_latex_reads(service: Service, study: str) -> None:
    shown = export(service, study, format="latex").text
    assert r"50\% & 102.0 $\pm$ 2.5 &" in shown
    assert r"    a\_b & 202.0 $\pm$ 2.5 & baseline \\" in shown
    assert r"\textbackslash{}\$\#\&\{\}\textasciitilde{}\textasciicircum{} & " in shown
    assert r"{[}1\textbar{}2] & " in shown
    assert r"\caption{value (things): mean $\pm$ half-width of the 95\,\%" in shown


@pytest.mark.long
def test_latex_compiles(service: Service, study: str, tmp_path: Path) -> None:
    check_latex(export(service, study, format="latex").text, tmp_path)


def check_latex(tables: str, folder: Path) -> None:
    (folder / "tables.tex").write_text(tables)
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n"
        "\\begin{document}\n\\input{tables}\n\\end{document}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
        )
    except FileNotFoundError:
        pytest.skip("pdflatex is not installed")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in (folder / "paper.log").read_text(errors="replace")


def test_tables_that_a_campaign_does_not_have(service: Service) -> None:
    id_ = service.submit(tiny_campaign("plain", offset=4321))["id"]
    service.wait(id_)

    def refused(**params: str) -> tuple[int, str]:
        response = service.http.get(f"/campaigns/{id_}/export", params=params)
        return response.status_code, response.json()["detail"]

    assert refused(what="packet-delays") == (
        409, "the runs of this campaign have no packet delays: its simulator reports none",
    )  # fmt: skip
    assert refused(what="series", series="stepps") == (
        422,
        "query.series: 'stepps' is not a series of this campaign; did you mean 'steps'?",
    )
    status, detail = refused(format="flent")
    assert status == 409
    assert "add 'series: [{probe: goodput, at: flows}]' to the scenario" in detail


def test_pruned_series_are_missing_and_counted(service: Service, database: Database) -> None:
    id_ = service.submit(tiny_campaign("pruned", sweep={"offset": [8101, 8102]}))["id"]
    service.wait(id_)
    run = service.runs(id_)[0]["id"]

    def prune(run: str) -> None:
        with database.transaction() as session:
            session.execute(text("DELETE FROM series WHERE run_id = :id"), {"id": run})
            pruned = update(Run).where(Run.id == run)
            session.execute(pruned.values(series_pruned_at=text("now()"), series_bytes=0))

    prune(run)
    response = export(service, id_, what="series")
    note = "incomplete: 2 of 2 runs have finished, 1 of them without series"
    assert response.text.startswith(f"# {note}\r\n")
    assert len(response.text.splitlines()) == 2 + 3
    prune(service.runs(id_)[1]["id"])
    gone = service.http.get(f"/campaigns/{id_}/export", params={"what": "series"})
    assert gone.status_code == 410


def test_flent_reads_its_data_files(service: Service, dumbbell: str, tmp_path: Path) -> None:
    folder = tmp_path / "flent"
    done = windtunnel(
        "export", dumbbell, "--format", "flent", "-o", folder, "--server", service.url
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"wrote {folder} (")
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["campaign.json", *(
        f"cell{cell:04d}-seed{seed:04d}.flent.gz" for cell in (0, 1) for seed in (1, 2)
    )]  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["flent"]

    from flent.resultset import load

    results = load(str(folder / "cell0001-seed0002.flent.gz"))
    run = next(
        run["id"]
        for run in service.runs(dumbbell)
        if (run["cell_index"], run["seed_index"]) == (1, 2)
    )
    flows = [
        service.get(f"/runs/{run}/series/goodput flow{flow}", full=True)["values"]
        for flow in (0, 1)
    ]
    assert results.meta("NAME") == "tcp_nup"
    assert results.series("TCP upload::1") == pytest.approx(flows[0], abs=1e-5)
    sums = [a + b for a, b in zip(*flows, strict=True)]
    assert results.series("TCP upload sum") == pytest.approx(sums, abs=1e-5)
    assert any("tcp_rtt" in point for point in results.raw_values["TCP upload::1"])


@pytest.mark.parametrize("plot", ["totals", "upload", "tcp_rtt"])
def test_flent_plots_a_file(service: Service, dumbbell: str, tmp_path: Path, plot: str) -> None:
    archive = io.BytesIO(export(service, dumbbell, format="flent").content)
    with tarfile.open(fileobj=archive) as content:
        content.extract("cell0000-seed0001.flent.gz", tmp_path, filter="data")
    image = tmp_path / "plot.png"
    file = tmp_path / "cell0000-seed0001.flent.gz"
    command: list[str | Path] = [FLENT, "-i", file, "-p", plot, "-o", image]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert image.read_bytes().startswith(b"\x89PNG"), done.stderr
    assert image.stat().st_size > 10_000
