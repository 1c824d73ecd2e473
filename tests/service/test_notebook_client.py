"""windtunnel.Client as scripts and notebooks use it."""

from __future__ import annotations

import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.conftest import Service, tiny_campaign
from tests.workers import paused
from windtunnel import Campaign, Client
from windtunnel.client import tables
from windtunnel.client.campaign import IncompleteWarning
from windtunnel.client.local_run import LocalRun
from windtunnel.errors import RefusedError, SimulationError, SpecError, UnavailableError

SPEC: dict[str, Any] = {
    "scenario": {
        "topology": {"kind": "dumbbell", "bottleneck": {"rate": "10Mbps", "delay": "5ms"}},
        "algorithm": "vegas",
        "workload": {"kind": "bulk", "flows": 2},
        "duration": "1s",
        "series": [{"probe": "cwnd", "at": "flows", "step": "10ms"}],
    }
}


@pytest.fixture
def client(service: Service, tmp_path: Path) -> Client:
    return Client(service.url, cache=tmp_path / "cache")


def test_a_campaign_from_a_mapping_or_a_file(client: Client, tmp_path: Path) -> None:
    document = tiny_campaign(sweep={"offset": [7100, 7101]}, replications=3)
    campaign = client.submit(document, labels={"branch": "main"}).wait(progress=False)
    assert repr(campaign) == f"<Campaign {campaign.id} {document['name']!r}: ended, 6/6 runs>"
    assert campaign.state()["labels"] == {"branch": "main"}
    path = tmp_path / "study.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    again = client.submit(path)
    assert again.state()["reused_runs"] == 6
    assert client.campaign(campaign.id[:6]).name == campaign.name
    assert client.plan(document)["total_runs"] == 6


def test_campaigns_as_a_data_frame(client: Client) -> None:
    ids = [
        client.submit(tiny_campaign(offset=7200), labels={"turn": str(turn)}).id
        for turn in range(3)
    ]
    frame = client.campaigns(labels={"turn": "1"})
    assert list(frame["id"]) == [ids[1]]
    assert str(frame["created_at"].dtype).endswith("UTC]")
    assert len(client.campaigns(limit=2)) == 2
    assert client.campaigns("no such name").empty


def test_waiting_shows_progress_and_warns_of_failures(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    crashing = tiny_campaign(offset=7300, sweep={"misbehave": ["no", "crash"]}, replications=2)
    with pytest.warns(IncompleteWarning, match="of 4 runs failed; see http"):
        campaign = client.submit(crashing).wait()
    assert "4/4 runs, 2 failed" in capsys.readouterr().err
    assert campaign.state()["ended"]


def test_a_timeout_leaves_the_campaign_running(client: Client) -> None:
    slow = client.submit(tiny_campaign(offset=7400, wall=2))
    with pytest.raises(TimeoutError, match=r"has not ended after 0\.1 s; it continues"):
        slow.wait(progress=False, timeout=0.1)
    assert slow.cancel().state()["state"] in ("cancelling", "cancelled", "running")
    slow.delete()
    with pytest.raises(RefusedError, match="does not exist"):
        client.campaign(slow.id)


def test_conclusions_and_extension(client: Client) -> None:
    campaign = client.submit(
        tiny_campaign(sweep={"offset": [7500, 7600]}, replications=2, baseline={"offset": "7500"})
    ).wait(progress=False)
    assert campaign.conclusions()
    assert campaign.extend(4).wait(progress=False).state()["replications"] == 4


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"name": "x"}, SpecError, "scenario: missing"),
        ({"name": "x", "scenario": {1j: 2}}, RefusedError, "the campaign is not JSON"),
        ("no-such-file.yaml", RefusedError, "no such file"),
    ],
)
def test_what_is_no_campaign(client: Client, given: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        client.submit(given)


def test_wrong_ids_and_addresses(client: Client, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="is not a campaign id"):
        client.campaign("../tokens")
    with pytest.raises(RefusedError, match="does not exist"):
        client.campaign("ffffffff")
    with pytest.raises(RefusedError, match="is not a URL"):
        Client("localhost")
    with pytest.raises(UnavailableError, match=r"start one with 'windtunnel serve'.*Client\("):
        Client(data=tmp_path)


def test_a_run_on_this_machine_is_that_of_the_service(client: Client, service: Service) -> None:
    document = {"name": "one-run", "simulator": "ns3", **SPEC, "replications": 3}
    campaign = client.submit(document).wait(progress=False)
    seeds = {run["seed_index"]: run["id"] for run in service.runs(campaign.id)}
    run = client.simulate(SPEC, seed=3)
    assert isinstance(run, LocalRun)
    assert run.digest == service.get(f"/runs/{seeds[3]}")["digest"]
    assert len(run.flows()) == 2
    series = run.series()
    assert set(series["series"]) == {"cwnd flow0", "cwnd flow1", "goodput"}
    assert series["time_s"].max() == pytest.approx(0.99)
    assert {"metric", "value", "unit"} == set(run.metrics().columns)
    assert run.packet_delays()["packets"].sum() > 0


def test_a_local_run_that_fails_says_why(client: Client) -> None:
    wrong = {"scenario": {**SPEC["scenario"], "algorithm": "vegaz"}}
    with pytest.raises(SpecError, match="did you mean 'vegas'"):
        client.simulate(wrong)
    with pytest.raises(SpecError, match="seed_index"):
        client.simulate(SPEC, seed=0)
    assert issubclass(SimulationError, Exception)


def test_a_closed_client_leaves_no_warning(service: Service) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Client(service.url) as client:
            assert repr(client) == f"Client({service.url!r})"
            assert isinstance(client.submit(tiny_campaign(offset=7600)), Campaign)


def test_tables_are_read_again_only_if_they_changed(client: Client, tmp_path: Path) -> None:
    document = tiny_campaign(sweep={"offset": [7700, 7701]}, replications=2)
    campaign = client.submit(document).wait(progress=False)
    first = campaign.runs()
    (cached,) = (tmp_path / "cache").iterdir()
    written = cached.stat().st_ino
    assert campaign.runs().equals(first)
    assert cached.stat().st_ino == written
    assert {str(dtype) for dtype in first[["cell", "offset", "seed"]].dtypes} == {"int64"}
    assert first.attrs["windtunnel"]["campaign"] == campaign.id
    assert len(campaign.runs("value")) == 4
    assert len(list((tmp_path / "cache").iterdir())) == 2
    campaign.extend(3).wait(progress=False)
    assert len(campaign.runs()) == len(first) * 3 // 2
    assert not cached.exists()
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_wide_tables_and_the_comparison(client: Client, service: Service) -> None:
    document = tiny_campaign(
        sweep={"offset": [7800, 7801]}, replications=3, baseline={"offset": "7800"}
    )
    campaign = client.submit(document).wait(progress=False)
    wide = campaign.runs(["value"], wide=True)
    assert list(wide.columns) == ["cell", "offset", "seed", "run", "value"]
    assert len(wide) == 6
    comparison = campaign.comparison("value").set_index("cell")
    shown = service.get(f"/campaigns/{campaign.id}/comparison", metric="value")
    for cell in shown["cells"]:
        estimate = cell["metrics"]["value"]["estimate"]
        assert comparison.loc[cell["index"], "mean"] == estimate["mean"]
        assert wide.loc[wide["cell"] == cell["index"], "value"].mean() == estimate["mean"]


def test_an_incomplete_campaign_warns(client: Client) -> None:
    crashing = tiny_campaign(offset=7900, sweep={"misbehave": ["no", "crash"]})
    with pytest.warns(IncompleteWarning):
        campaign = client.submit(crashing).wait(progress=False)
    with pytest.warns(IncompleteWarning, match="1 of 2 runs have finished"):
        assert set(campaign.runs()["misbehave"]) == {"no"}


def test_unknown_metrics_and_missing_records(client: Client) -> None:
    campaign = client.submit(tiny_campaign(offset=7950)).wait(progress=False)
    with pytest.raises(SpecError, match="did you mean 'value'"):
        campaign.runs("valeu")
    assert set(campaign.series()["series"]) == {"steps"}
    with pytest.raises(SpecError, match="did you mean 'steps'"):
        campaign.series("step")


def test_the_cache_forgets_what_was_used_longest_ago(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_CACHE_BYTES", 1)
    campaign = client.submit(tiny_campaign(offset=7960)).wait(progress=False)
    campaign.runs()
    campaign.comparison()
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.suffix == ".parquet"


def test_damaged_and_vanished_tables_are_read_again(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = client.submit(tiny_campaign(offset=7970)).wait(progress=False)
    expected = campaign.runs()
    (cached,) = (tmp_path / "cache").iterdir()
    for damaged in (b"", cached.read_bytes()[:100]):
        cached.write_bytes(damaged)
        assert campaign.runs().equals(expected)
    pd.DataFrame({"x": [1]}).to_parquet(cached)  # not one of ours
    assert campaign.runs().equals(expected)

    def vanishes(path: Path, *arguments: Any) -> None:
        path.unlink()
        monkeypatch.undo()

    monkeypatch.setattr("windtunnel.client.tables.os.utime", vanishes)
    assert campaign.runs().equals(expected)
    (cached,) = (tmp_path / "cache").iterdir()


def test_abandoned_downloads_are_removed(client: Client, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    for name, age in (("download-old", 2 * 86_400), ("download-new", 0)):
        (tmp_path / "cache" / name).touch()
        os.utime(tmp_path / "cache" / name, (time.time() - age,) * 2)
    client.submit(tiny_campaign(offset=7980)).wait(progress=False).runs()
    kept = {path.name for path in (tmp_path / "cache").iterdir() if path.suffix != ".parquet"}
    assert kept == {"download-new"}


def test_a_cache_that_is_a_file(service: Service, tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    campaign = Client(service.url, cache=tmp_path / "cache").submit(tiny_campaign(offset=7990))
    campaign.wait(progress=False)
    with pytest.raises(UnavailableError, match=r"can't be cached in .*: file exists; use Client"):
        campaign.runs()


def test_waiting_ends_at_its_timeout_though_nothing_happens(
    client: Client, service: Service
) -> None:
    with paused(service):
        campaign = client.submit(tiny_campaign(offset=7995))
        begin = time.monotonic()
        with pytest.raises(TimeoutError, match="it continues"):
            campaign.wait(progress=False, timeout=1)
        assert time.monotonic() - begin < 10
    campaign.wait(progress=False)


def test_tokens_as_files_have_them(service: Service) -> None:
    token = service.running.token
    assert Client(service.url, f"{token}\n").campaigns(limit=1) is not None
    with pytest.raises(RefusedError, match="the token has characters") as caught:
        Client(service.url, f"{token}\nX")
    assert token not in str(caught.value)
    with pytest.raises(RefusedError, match="token"):
        Client(service.url, "wrong").campaigns()
