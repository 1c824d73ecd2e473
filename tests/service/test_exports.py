"""Exports of campaigns over REST and on the command line, read by pandas and polars."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pandas as pd
import polars as pl
import pytest
from sqlalchemy import delete, text

from tests.commands import windtunnel
from tests.conftest import Service, tiny_campaign
from windtunnel.client.http import HttpClient
from windtunnel.errors import UnavailableError
from windtunnel.store.database import Database
from windtunnel.store.tables import CampaignRun, Run

LABELS = ["=cmd()", "50%", "a_b", '"q"', "x,y"]
SEEDS = 3


@pytest.fixture(scope="module")
def study(service: Service) -> str:
    """A finished campaign: 5 labels x 2 durations x 3 seeds, with packet delays."""
    cases = [{"label": label, "offset": 100 * index} for index, label in enumerate(LABELS)]
    campaign = tiny_campaign(
        "export study",
        sweep={"case": cases, "duration": ["5ms", "8ms"]},
        replications=SEEDS,
        baseline={"case": "a_b"},
        delays=3,
        goodput=1.5,
    )
    id_: str = service.submit(campaign)["id"]
    assert service.wait(id_)["runs"]["succeeded"] == len(LABELS) * 2 * SEEDS
    return id_


@pytest.fixture(scope="module")
def half(service: Service) -> str:
    """A campaign of which half of the runs have failed."""
    sweep = {"misbehave": ["no", "crash"]}
    id_: str = service.submit(tiny_campaign("half", sweep=sweep, replications=2))["id"]
    service.wait(id_)
    return id_


def export(service: Service, campaign: str, **params: Any) -> httpx2.Response:
    response = service.http.get(f"/campaigns/{campaign}/export", params=params)
    assert response.status_code == 200, response.text
    return response


def test_runs_as_csv_are_what_the_database_has(
    service: Service, database: Database, study: str
) -> None:
    response = export(service, study)
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == (
        'attachment; filename="export-study-runs.csv"'
    )
    assert response.headers["windtunnel-complete"] == "30/30"
    frame = pd.read_csv(io.StringIO(response.text))
    assert list(frame.columns) == [
        "cell", "case", "duration", "duration_unit", "seed", "run", "metric", "value", "unit",
    ]  # fmt: skip
    with database.transaction() as session:
        query = text(
            "SELECT count(*), sum(value) FROM metric JOIN campaign_run USING (run_id) "
            "WHERE campaign_id = :id"
        )
        count, total = session.execute(query, {"id": study}).one()
    assert len(frame) == count
    assert frame["value"].sum() == pytest.approx(total)
    assert frame.dtypes.astype(str).to_dict() | {"case": "", "run": ""} == {
        "cell": "int64", "case": "", "duration": "int64", "duration_unit": frame["unit"].dtype.name,
        "seed": "int64", "run": "", "metric": frame["unit"].dtype.name, "value": "float64",
        "unit": frame["unit"].dtype.name,
    }  # fmt: skip
    assert sorted(frame["duration"].unique()) == [5_000_000, 8_000_000]
    assert set(frame["duration_unit"]) == {"ns"}
    assert list(frame["case"].unique()) == ["'=cmd()", "50%", "a_b", '"q"', "x,y"]
    row = frame[(frame.cell == 4) & (frame.seed == 2) & (frame.metric == "value")]
    assert row["value"].item() == 202.0  # the label's offset + the seed


def test_polars_reads_the_same(service: Service, study: str) -> None:
    frame = pl.read_csv(io.BytesIO(export(service, study).content))
    assert frame.schema["value"] == pl.Float64
    assert frame.schema["duration"] == pl.Int64
    assert frame.height == len(pd.read_csv(io.BytesIO(export(service, study).content)))


def test_r_reads_the_same(service: Service, study: str, tmp_path: Path) -> None:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("Rscript is not installed")
    file = tmp_path / "runs.csv"
    file.write_bytes(export(service, study).content)
    script = f'd <- read.csv("{file}"); cat(nrow(d), class(d$value), class(d$duration))'
    done = subprocess.run([program, "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{len(pd.read_csv(file))} numeric integer"


def test_chosen_metrics_in_their_order(service: Service, study: str) -> None:
    names = ["packet_delay_ms_mean", "value"]
    frame = pd.read_csv(io.StringIO(export(service, study, metric=names).text))
    assert list(frame["metric"][:4]) == names * 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"metric": "valeu"}, "'valeu' is not a metric; did you mean 'value'?"),
        ({"format": "cvs"}, "query.format: 'cvs' is not a format; did you mean 'csv'?"),
        ({"what": "run"}, "query.what: 'run' is not a table; did you mean 'runs'?"),
        ({"what": "runs", "format": "latex"}, "latex holds comparison only"),
        ({"fromat": "csv"}, "unknown query parameter; did you mean 'format'?"),
    ],
)
def test_mistakes_are_named(
    service: Service, study: str, params: dict[str, str], message: str
) -> None:
    response = service.http.get(f"/campaigns/{study}/export", params=params)
    assert response.status_code == 422
    assert message in response.json()["detail"]


def test_an_incomplete_file_says_so_first(service: Service, half: str) -> None:
    response = export(service, half)
    note = "incomplete: 2 of 4 runs have finished, 2 failed"
    assert response.text.startswith(f"# {note}\r\ncell,misbehave,seed,")
    assert response.headers["windtunnel-complete"] == "2/4"
    assert response.headers["windtunnel-note"] == note
    frame = pd.read_csv(io.StringIO(response.text), comment="#")
    assert list(frame["value"]) == [1.0, 2.0]


def test_a_campaign_without_results_gives_an_empty_table(service: Service) -> None:
    id_ = service.submit(tiny_campaign("none", misbehave="crash"))["id"]
    service.wait(id_)
    lines = export(service, id_).text.splitlines()
    assert lines == [
        "# incomplete: 0 of 1 runs have finished, 1 failed", "cell,seed,run,metric,value,unit",
    ]  # fmt: skip


def test_unchanged_files_are_not_sent_again(service: Service, study: str) -> None:
    first = export(service, study)
    etag = first.headers["etag"]
    path = f"/campaigns/{study}/export"
    again = service.http.get(path, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    other = service.http.get(path, params={"what": "flows"}, headers={"If-None-Match": etag})
    assert other.status_code == 200


def test_a_new_run_changes_the_tag(service: Service) -> None:
    id_ = service.submit(tiny_campaign("growing", offset=77))["id"]
    service.wait(id_)
    before = export(service, id_).headers["etag"]
    service.http.post(f"/campaigns/{id_}/replications", json={"replications": 2})
    service.wait(id_)
    after = export(service, id_)
    assert after.headers["etag"] != before
    assert len(pd.read_csv(io.StringIO(after.text))) == 2


def test_a_run_that_vanishes_breaks_the_stream_off(service: Service, database: Database) -> None:
    """The connection closes before the end of the chunks."""
    sweep = {"offset": list(range(5000, 5250))}
    id_ = service.submit(tiny_campaign("vanishing", sweep=sweep, delays=1500))["id"]
    service.wait(id_, 180)
    last = max(service.runs(id_), key=lambda run: run["cell_index"])["id"]
    sink = _Deleting(database, last)
    with HttpClient(service.url) as client:
        # Some 40 MB, more than buffers hold: the last runs are read after the deletion.
        client._http.headers["Accept-Encoding"] = "identity"
        with pytest.raises(UnavailableError, match=r"broke off after \d+ bytes: it closed the"):
            client.download(f"/campaigns/{id_}/export", {"what": "packet-delays"}, sink)


class _Deleting:
    """Deletes a run when the first bytes arrive."""

    def __init__(self, database: Database, run: str) -> None:
        self._database = database
        self._run: str | None = run

    def write(self, data: bytes, /) -> int:
        if self._run is not None:
            with self._database.transaction() as session:
                session.execute(delete(CampaignRun).where(CampaignRun.run_id == self._run))
                session.execute(delete(Run).where(Run.id == self._run))
            self._run = None
        return len(data)


def test_the_command_writes_a_file_or_stdout(service: Service, study: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("old")
    done = windtunnel("export", study, "-o", file, "--server", service.url)
    assert (done.returncode, done.stdout) == (0, "")
    size = r"\([0-9.]+ KiB\)"
    assert re.fullmatch(rf"wrote {file} {size}", " ".join(done.stderr.split()))
    assert file.read_bytes() == export(service, study).content
    assert [path.name for path in tmp_path.iterdir()] == ["runs.csv"]
    shown = windtunnel("export", study, "--metric", "value", "--server", service.url)
    assert shown.stdout.startswith("cell,case,duration,duration_unit,seed,run,metric,value,unit\n")


def test_the_command_names_mistakes(service: Service, study: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"

    def refused(*arguments: str | Path) -> str:
        done = windtunnel("export", study, *arguments, "--server", service.url)
        assert done.returncode == 2
        return done.stderr

    assert "did you mean 'value'?" in refused("--metric", "valeu", "-o", file)
    assert refused("--format", "cvs") == "--format: 'cvs' is not a format; did you mean 'csv'?\n"
    assert "name a file with -o" in refused("--format", "parquet")
    assert "no such folder" in refused("-o", tmp_path / "missing" / "x.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_is_missing(service: Service, half: str, tmp_path: Path) -> None:
    done = windtunnel("export", half, "-o", tmp_path / "half.csv", "--server", service.url)
    assert done.returncode == 0
    assert done.stderr.startswith("wrote ")
    assert done.stderr.endswith("incomplete: 2 of 4 runs have finished, 2 failed\n")


def test_a_refused_request_keeps_the_file_behind_a_link(
    service: Service, study: str, tmp_path: Path
) -> None:
    file, link = tmp_path / "real.csv", tmp_path / "link.csv"
    file.write_text("precious")
    link.symlink_to("real.csv")
    done = windtunnel("export", study, "--metric", "none", "-o", link, "--server", service.url)
    assert done.returncode == 2
    assert file.read_text() == "precious"
    done = windtunnel("export", study, "-o", link, "--server", service.url)
    assert done.returncode == 0
    assert link.is_symlink()
    assert file.read_bytes() == export(service, study).content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "real.csv"]
