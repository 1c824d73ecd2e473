"""The command line against the real service, and without one."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.commands import start, windtunnel
from tests.conftest import FAT_TREE, ROOT, Service, new_data_folder, tiny_campaign


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    sweep = {"algorithm": ["newreno", "vegas"]}
    campaign = {"name": "cli", "scenario": FAT_TREE, "sweep": sweep, "replications": 2}
    path.write_text(json.dumps({**campaign, "baseline": {"algorithm": "newreno"}}))
    return path


def test_run_prints_a_table_and_writes_the_document(
    service: Service, file: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.json"
    done = windtunnel("run", file, "--server", service.url, "--json", output)
    assert done.returncode == 0, done.stderr
    digest = service.get("/campaigns", limit=1)["campaigns"][0]["simulators"][0]["digest"]
    assert f"2 cells x 2 seeds = 4 runs on ns3 {digest[:8]} (built " in done.stdout
    assert "0 reused" in done.stdout
    assert "throughput (%)" in done.stdout
    assert "predicted" in done.stdout
    assert "actual" in done.stdout
    document = json.loads(output.read_text())
    assert document["campaign"]["name"] == "cli"
    assert document["runs"] == {
        "planned": 4, "reused": 0, "computed": 4, "failed": 0, "cancelled": 0,
    }  # fmt: skip
    cell = document["cells"][1]
    assert cell["coordinates"] == {"algorithm": "vegas"}
    metric = cell["metrics"]["goodput_mbps"]
    assert metric["mean"] == pytest.approx(sum(metric["values"].values()) / 2)
    assert metric["ci95"][0] < metric["mean"] < metric["ci95"][1]
    assert set(cell["digests"]) == {"1", "2"}
    against = document["comparison"]["cells"][1]["metrics"]["goodput_mbps"]
    difference = against["difference"]
    assert against["relative_ci95"][0] < against["relative"] < against["relative_ci95"][1]
    other = document["cells"][0]["metrics"]["goodput_mbps"]["mean"]
    assert difference == pytest.approx(metric["mean"] - other)
    assert document["gates"] == []

    again = windtunnel("run", file, "--server", service.url, "--json", output)
    assert again.returncode == 0
    assert "4 reused" in again.stdout
    assert json.loads(output.read_text())["runs"]["computed"] == 0


def test_submit_watch_status_compare_cancel(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(name="steps", offset=9000, wall=1)))
    dry = windtunnel("submit", file, "--dry-run", "--server", service.url)
    assert "1 cell x 1 seed = 1 run on tiny " in dry.stdout
    campaign = windtunnel("submit", file, "--server", service.url).stdout.strip()
    assert service.get(f"/campaigns/{campaign}")["name"] == "steps"
    assert windtunnel("watch", campaign, "--server", service.url).returncode == 0
    assert "1/1 runs" in windtunnel("status", campaign, "--server", service.url).stdout
    assert "steps" in windtunnel("status", "--server", service.url).stdout
    compared = windtunnel("compare", campaign, "--metric", "value", "--server", service.url)
    assert "9,001" in compared.stdout
    unknown = windtunnel("compare", campaign, "--metric", "valeu", "--server", service.url)
    assert unknown.returncode == 2
    assert "did you mean 'value'?" in unknown.stderr
    cancelled = windtunnel("cancel", campaign, "--server", service.url)
    assert "had already ended: 1/1 runs" in cancelled.stdout
    extended = windtunnel("extend", campaign, "--replications", "3", "--server", service.url)
    assert f"{campaign}: 1 cell x 3 seeds = 1/3 runs" in extended.stdout
    assert windtunnel("watch", campaign, "--server", service.url).returncode == 0
    fewer = windtunnel("extend", campaign, "--replications", "2", "--server", service.url)
    assert fewer.returncode == 2
    assert "replications can only be added" in fewer.stderr


def test_verify_and_simulate_give_the_same_digest(service: Service, file: Path) -> None:
    assert windtunnel("run", file, "--server", service.url).returncode == 0
    newest = service.get("/campaigns", limit=1)["campaigns"][0]
    run = service.get(f"/runs/{service.runs(newest['id'])[0]['id']}")
    verified = windtunnel("verify", run["id"][:10], "--server", service.url)
    assert verified.returncode == 0
    assert f"identical, digest {run['digest']}" in verified.stdout
    simulated = windtunnel("simulate", "--run", run["id"][:10], "--server", service.url)
    assert json.loads(simulated.stdout.splitlines()[-1])["digest"] == run["digest"]


def test_verify_prints_the_first_differing_record(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(name="random", misbehave="random", offset=1)))
    assert windtunnel("run", file, "--server", service.url).returncode == 0
    newest = service.get("/campaigns", limit=1)["campaigns"][0]
    run = service.runs(newest["id"])[0]
    done = windtunnel("verify", run["id"], "--server", service.url)
    assert done.returncode == 1
    assert "record 2: metric value" in done.stderr


def test_a_campaign_without_results_prints_the_reasons_only(
    service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("all-failed", misbehave="crash", offset=6)))
    done = windtunnel("run", file, "--server", service.url)
    assert done.returncode == 4
    assert "no run has succeeded, so there is nothing to compare" in done.stdout
    assert "1 of 1 run failed" in done.stderr
    assert "sim_crashed" in done.stderr
    campaign = service.get("/campaigns", limit=1)["campaigns"][0]["id"]
    compared = windtunnel("compare", campaign, "--server", service.url)
    assert compared.stdout.splitlines()[:2] == [
        "no run has succeeded, so there is nothing to compare",
        "the only cell: 0 of 1 runs (seed 1 failed: sim_crashed)",
    ]
    for text in (done.stdout, compared.stdout):
        assert "seeds;" not in text
        assert "family" not in text
        assert "actual" not in text


def test_watching_a_deleted_campaign_ends(service: Service) -> None:
    campaign = service.submit(tiny_campaign("deleted", offset=8, wall=15))["id"]
    with start("watch", campaign, "--server", service.url) as watching:
        assert watching.stdout is not None
        assert "1 cell x 1 seed = 1 run" in watching.stdout.readline()
        time.sleep(1)
        assert service.http.post(f"/campaigns/{campaign}/cancel").status_code == 200
        assert service.http.delete(f"/campaigns/{campaign}").status_code == 204
        _, errors = watching.communicate(timeout=30)
    assert (watching.returncode, errors) == (2, f"campaign {campaign} was deleted\n")


def test_failed_runs_are_an_exit_code_of_their_own(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(sweep={"misbehave": ["no", "crash"]}, offset=5)))
    done = windtunnel("run", file, "--server", service.url)
    assert done.returncode == 4
    assert "1 of 2 runs failed" in done.stderr
    assert "sim_crashed" in done.stderr


def test_simulate_captures_a_ports_packets(tmp_path: Path) -> None:
    spec = {"topology": "dumbbell", "workload": "bulk", "algorithm": "cubic", "duration": "1s"}
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"simulator": "ns3", "seed_index": 1, "scenario": spec}))
    pcap = tmp_path / "bottleneck.pcap"
    done = windtunnel("simulate", file, "--pcap", "bottleneck", pcap)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    sent = next(record for record in records if record.get("port") == "bottleneck")
    assert pcap.stat().st_size == 24 + 16 * sent["packets"] + sent["bytes"]
    refused = windtunnel("simulate", file, "--pcap", "core0.port0", pcap)
    assert refused.returncode == 4
    assert "no port named 'core0.port0'" in refused.stderr


def test_simulate_needs_no_service(tmp_path: Path) -> None:
    spec: dict[str, Any] = {"seed_index": 2, "scenario": {**FAT_TREE, "algorithm": "cubic"}}
    file = tmp_path / "run.json"
    file.write_text(json.dumps(spec))
    records = [json.loads(line) for line in windtunnel("simulate", file).stdout.splitlines()]
    assert records[0]["type"] == "started"
    assert records[-1]["type"] == "finished"
    file.write_text(json.dumps({**spec, "scenario": {**FAT_TREE, "algorithm": "cubik"}}))
    refused = windtunnel("simulate", file)
    assert refused.returncode == 2
    assert "did you mean 'cubic'?" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_catalogue_and_schema_need_no_service() -> None:
    listed = windtunnel("catalogue", "algorithms")
    assert listed.returncode == 0
    assert "westwood-plus" in listed.stdout
    assert "RFC 9438" in listed.stdout
    assert "packet_delay_ms_p99" in windtunnel("catalogue", "metrics").stdout
    assert windtunnel("catalogue", "nothing").returncode == 2
    schema = json.loads(windtunnel("schema").stdout)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    import yaml

    for path in ROOT.glob("papers/*/*.yaml"):
        campaign = yaml.load(path.read_text(), Loader=yaml.BaseLoader)  # words stay words
        campaign["replications"] = int(campaign["replications"])
        assert campaign["name"]
        assert path.parent.name in campaign["name"]


def test_a_campaign_from_stdin_and_the_document_on_stdout(service: Service) -> None:
    campaign = json.dumps(tiny_campaign("piped", offset=600))
    done = windtunnel("run", "-", "--json", "-", "--server", service.url, stdin=campaign)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["campaign"]["name"] == "piped"
    assert "1 cell x 1 seed = 1 run" in done.stderr
    compared = windtunnel("compare", service.get("/campaigns", limit=1)["campaigns"][0]["id"],
                          "--json", "-", "--server", service.url)  # fmt: skip
    assert json.loads(compared.stdout)["cells"]
    yaml = "name: piped\nsimulator: tiny\nscenario: {duration: 10ms, offset: -1}\n"
    refused = windtunnel("submit", "-", "--server", service.url, stdin=yaml)
    assert refused.returncode == 2
    assert refused.stderr.startswith("stdin:3: scenario.offset: -1 is out of range")


def test_an_unknown_metric_is_refused_before_anything_is_queued(
    service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("metric-typo", offset=601)))
    done = windtunnel("run", file, "--metric", "valeu", "--server", service.url)
    assert done.returncode == 2
    assert "did you mean 'value'?" in done.stderr
    names = [campaign["name"] for campaign in service.get("/campaigns")["campaigns"]]
    assert "metric-typo" not in names


def test_cancelled_runs_are_not_done(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    sweep = {"offset": [*range(610, 616)]}
    file.write_text(json.dumps(tiny_campaign("stopped", sweep=sweep, wall=15)))
    campaign = windtunnel("submit", file, "--server", service.url).stdout.strip()
    assert windtunnel("cancel", campaign, "--server", service.url).returncode == 0
    watched = windtunnel("watch", campaign, "--server", service.url)
    assert watched.returncode == 4
    assert watched.stderr.splitlines()[-3:] == [
        "  ... and 1 more",
        "all of them:",
        f"  windtunnel status {campaign} --server {service.url}",
    ]
    status = windtunnel("status", campaign, "--server", service.url).stdout
    assert "0/6 runs   6 cancelled" in status
    assert "6 of 6 runs cancelled" in status
    assert status.count("seed 1: cancelled") == 6


def test_a_newer_push_ends_the_run_of_the_older(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("superseded", sweep={"offset": [630, 631]}, wall=60)))
    push = (file, "--server", service.url, "--label", "branch=a", "--supersede", "branch")
    with start("run", *push, "--gate") as refused:
        assert "has no gates" in refused.communicate(timeout=60)[1]
    with start("run", *push) as older:
        assert older.stdout is not None
        older.stdout.readline()
        id_ = service.get("/campaigns", limit=1)["campaigns"][0]["id"]
        newer = windtunnel("submit", *push)
        _, errors = older.communicate(timeout=20)
    assert newer.stderr == f"cancelled {id_}, superseded by this one\n"
    last = [
        f"{id_} was cancelled, superseded by {newer.stdout.strip()}; to follow that one:",
        f"  windtunnel watch {newer.stdout.strip()} --server {service.url}",
    ]
    assert older.returncode == 4
    assert errors.splitlines()[-2:] == last
    assert windtunnel("status", id_, "--server", service.url).stdout.splitlines()[-2:] == last
    detached = windtunnel("run", *push, "--detach")
    newest = service.get("/campaigns", limit=1)["campaigns"][0]["id"]
    assert detached.returncode == 0
    assert detached.stderr == f"cancelled {newer.stdout.strip()}, superseded by this one\n"
    assert detached.stdout == f"{newest}\n{service.url}/campaigns/{newest}\n"
    windtunnel("cancel", newest, "--server", service.url)
    refused_label = windtunnel("submit", *push[:3], "--supersede", "branch")
    assert refused_label.returncode == 2
    assert refused_label.stderr.splitlines() == [
        f"{file}: query.supersede: the campaign has no label 'branch'; it has none",
        "1 problem, nothing was submitted",
    ]


def test_a_job_that_runs_again_finds_its_campaign(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("job", offset=640)))
    job = (file, "--server", service.url, "--idempotency-key", "pipeline-17/job:1")
    first = windtunnel("run", *job)
    assert first.returncode == 0, first.stderr
    id_ = service.get("/campaigns", limit=1)["campaigns"][0]["id"]
    again = windtunnel("submit", *job)
    assert (again.returncode, again.stdout.strip()) == (0, id_)
    os.environ["WINDTUNNEL_IDEMPOTENCY_KEY"] = "pipeline-17/job:1"
    try:
        by_variable = windtunnel("run", file, "--server", service.url, "--detach")
    finally:
        del os.environ["WINDTUNNEL_IDEMPOTENCY_KEY"]
    assert by_variable.stdout.splitlines()[0] == id_
    file.write_text(json.dumps(tiny_campaign("job", offset=641)))
    other = windtunnel("run", *job)
    assert other.returncode == 2
    assert other.stderr == "this Idempotency-Key was used for a different campaign\n"


@pytest.mark.parametrize("command", [("run",), ("run", "--detach"), ("submit",)])
def test_a_job_whose_campaign_was_cancelled_says_so(
    service: Service, tmp_path: Path, command: tuple[str, ...]
) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("cancelled-job", offset=650, wall=60)))
    key = "-".join(command)
    job = (file, "--server", service.url, "--idempotency-key", key)
    id_ = windtunnel("submit", *job).stdout.strip()
    windtunnel("cancel", id_, "--server", service.url)
    again = windtunnel(*command, *job)
    assert again.returncode == 4
    assert again.stderr.splitlines() == [
        f"campaign {id_} of this idempotency key was cancelled. To resume it:",
        f"  windtunnel resume {id_} --server {service.url}",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--idempotency-key", ""), "'' is not a key; use 1 to 200 ASCII letters"),
        (("--idempotency-key", "two words"), "'two words' is not a key"),
        (("--detach", "--gate"), "--gate needs the campaign's results; leave out --detach or"),
        (("--detach", "--json", "-"), "--json needs the campaign's results"),
    ],
)
def test_options_of_a_submission_are_checked_first(options: tuple[str, ...], message: str) -> None:
    done = windtunnel("run", "no-such-file", *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_plan_needs_no_service_and_asks_one_that_runs(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(
        "name: planned\nscenario: {topology: dumbbell, workload: bulk, duration: 10s}\n"
        "sweep: {algorithm: [newreno, cubic]}\n"
        "gates: [{metric: goodput_mbps, require: better, against: 'label:branch=main'}]\n"
    )
    alone = ("--data", new_data_folder().data)
    for command in (("plan", file, *alone), ("submit", file, "--dry-run", *alone)):
        done = windtunnel(*command)
        assert done.returncode == 0, done.stderr
        assert "planned: 2 cells x 1 seed = 2 runs on ns3 " in done.stdout
        assert "cached runs unknown" in done.stdout
        assert "CPU per run" in done.stdout
        assert "\n1 gate, against label:branch=main\n" in done.stdout
        assert "note: replications: 1 seed gives no confidence intervals" in done.stdout
        assert "'baseline: {algorithm: newreno}'" in done.stdout
    asked = windtunnel("plan", file, "--data", service.folders.data)
    assert "2 runs on ns3 " in asked.stdout
    assert "0 reused, about " in asked.stdout
    assert re.search(r"^newreno +[0-9]+ m?s *$", asked.stdout, re.MULTILINE)
    assert "note: replications: 1 seed gives" in asked.stdout
    file.write_text(
        file.read_text().replace("cubic", "cubik").replace("name", "simulator: ns4\nname")
    )
    refused = windtunnel("plan", file, *alone)
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        f"{file}:1: simulator: 'ns4' is not installed on this machine; did you mean 'ns3'?",
        "1 problem",
    ]
    asked = windtunnel("plan", file, "--data", service.folders.data)
    assert "did you mean 'ns3'?" in asked.stderr


def test_simulate_says_what_it_needs(tmp_path: Path, file: Path) -> None:
    campaign = windtunnel("simulate", file)
    assert campaign.returncode == 2
    assert f"{file} is a campaign file" in campaign.stderr
    assert f"windtunnel run {file}" in campaign.stderr
    wrong = tmp_path / "run.json"
    wrong.write_text(json.dumps({"seed_index": None, "scenario": {**FAT_TREE, "duration": None}}))
    refused = windtunnel("simulate", wrong)
    assert refused.returncode == 2
    assert "submitted" not in refused.stderr
    assert "None" not in refused.stderr
    fetched = windtunnel("simulate", "--run", "7f3a", "--data", tmp_path)
    assert fetched.returncode == 3
    assert "--run fetches the run spec from a service" in fetched.stderr


def test_what_is_wrong_with_arguments_is_said(tmp_path: Path) -> None:
    for arguments, message in [
        (("status", "--server", "foo"), "did you mean 'http://foo:8000'?"),
        (("status", "--server", "localhost:8001"), "did you mean 'http://localhost:8001'?"),
        (("submit", tmp_path), f"{tmp_path}: is a directory, not a file"),
        (("compare", ""), "the id is empty; to list campaigns and their ids: windtunnel status"),
        (("cancel", "a/b"), "'a/b' is not an id (expected at least 4 hex digits)"),
        (("verify", "?"), "'?' is not an id"),
        (("token", "revoke", ""), "the id is empty"),
        (
            ("token", "create", "a", "--scope", "foo"),
            "Invalid value for '--scope': 'foo' is not one of 'read', 'submit', 'admin'.",
        ),
        (("serve", "--port", "abc"), "'--port' (env var: 'WINDTUNNEL_PORT'): 'abc' is not a whole"),
        (("audit", "--limit", "501"), "'--limit': '501' is out of range; at most 500"),
        (("catalogue", "--simulator", "ns4"), "did you mean 'ns3'?"),
        (("schema", "--simulator", "ns4"), "did you mean 'ns3'?"),
    ]:
        done = windtunnel(*arguments)
        assert done.returncode == 2, done.stderr
        assert message in done.stderr
    broken = tmp_path / "study.json"
    broken.write_text('{"name": "x",\n "scenario": {"a" 1}}')
    done = windtunnel("plan", broken)
    assert f"{broken}:2: not JSON: Expecting ':' delimiter (column 19)" in done.stderr
