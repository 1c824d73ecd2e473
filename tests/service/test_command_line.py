"""The command line against the real service, and without one."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest

from tests.conftest import FAT_TREE, ROOT, Service, new_data_folder, tiny_campaign
from windtunnel.embedded.folders import Folders

WINDTUNNEL = Path(sys.executable).parent / "windtunnel"


def windtunnel(
    *arguments: str | Path, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [WINDTUNNEL, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [WINDTUNNEL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


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


def test_detach_needs_a_service_that_continues(tmp_path: Path, file: Path) -> None:
    done = windtunnel("run", file, "--detach", "--data", tmp_path / "nothing")
    assert done.returncode == 3
    assert done.stderr.startswith("--detach needs a service that continues, and none is running")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_ctrl_c_names_the_campaign_that_continues(
    service: Service, tmp_path: Path, handler: Any
) -> None:
    """Also where a script's background job has inherited SIGINT as ignored."""
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("joined-long", offset=620, wall=60)))
    inherited = signal.signal(signal.SIGINT, handler)
    try:
        process = start("run", file, "--server", service.url)
    finally:
        signal.signal(signal.SIGINT, inherited)
    with process as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=20)
    campaign = service.get("/campaigns", limit=1)["campaigns"][0]["id"]
    assert running.returncode == 130
    assert errors.splitlines() == [
        f"interrupted; campaign {campaign} continues on the service. To follow or cancel it:",
        f"  windtunnel watch {campaign} --server {service.url}",
        f"  windtunnel cancel {campaign} --server {service.url}",
    ]
    windtunnel("cancel", campaign, "--server", service.url)


def test_ctrl_c_with_a_service_of_its_own_says_how_to_continue(tmp_path: Path) -> None:
    folders = new_data_folder()
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("own-long", offset=621, wall=60)))
    with start("run", file, "--data", folders.data) as running:
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=40)
    assert running.returncode == 130
    assert re.fullmatch(
        "starting the service\n"
        "interrupted; campaign ([0-9a-f]+) and its finished runs are kept. To continue it, and to "
        rf"follow it from another terminal:\n  windtunnel serve --data {folders.data}\n"
        rf"  windtunnel watch \1 --data {folders.data}",
        errors.strip(),
    )
    assert "Look at it" not in output


def test_a_data_folder_that_is_moved_away_ends_the_run(tmp_path: Path) -> None:
    folders = new_data_folder()
    moved = folders.data.with_name(f"{folders.data.name}-moved")
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign("moved", offset=622, wall=60)))
    with start("run", file, "--data", folders.data) as running:
        assert running.stdout is not None
        running.stdout.readline()
        folders.data.rename(moved)
        _, errors = running.communicate(timeout=40)
    assert running.returncode == 3
    assert f"the data folder {folders.data} was moved or deleted" in errors
    assert "are kept" not in errors
    assert processes_of(folders) == []


def test_serve_on_a_chosen_port_and_on_ipv6() -> None:
    folders = new_data_folder()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = windtunnel("serve", "--data", folders.data, "--port", str(port))
        new = folders.data.with_name(f"{folders.data.name}-new")
        unused = windtunnel("serve", "--data", new, "--port", str(port))
    assert refused.returncode == 3
    assert f"port {port} on 127.0.0.1 is taken by another process" in refused.stderr
    assert unused.returncode == 3
    assert "creating" not in unused.stdout + unused.stderr
    assert not new.exists()
    environment = {**os.environ, "WINDTUNNEL_PORT": str(port)}
    with subprocess.Popen(
        [WINDTUNNEL, "serve", "--data", folders.data, "--bind", "::1"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as serving:
        assert serving.stdout is not None
        url = f"http://[::1]:{port}"
        assert f"Windtunnel is at {url} " in serving.stdout.readline()
        bearer = {"Authorization": f"Bearer {folders.token.read_text().strip()}"}
        response = httpx2.get(f"{url}/api/v1/campaigns", headers={"Origin": url, **bearer})
        assert response.status_code == 200, response.text
        assert windtunnel("status", "--data", folders.data).returncode == 0
        serving.send_signal(signal.SIGINT)
        serving.wait(30)


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


def processes_of(folders: Folders) -> list[str]:
    """Command lines of all processes that use a data folder or belong to its service."""
    processes = []
    for folder in Path("/proc").iterdir():
        try:
            environment = (folder / "environ").read_bytes()
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folders.data).encode() in environment + line and folder.name != str(os.getpid()):
            processes.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return processes


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stopped_or_killed_service_leaves_no_process(tmp_path: Path, how: signal.Signals) -> None:
    folders = new_data_folder()
    file = tmp_path / "long.json"
    file.write_text(json.dumps(tiny_campaign(sweep={"offset": [1, 2]}, wall=60)))
    with subprocess.Popen(
        [WINDTUNNEL, "serve", "--data", folders.data], stdout=subprocess.PIPE, text=True
    ) as serving:
        try:
            assert serving.stdout is not None
            assert "Windtunnel is at http://127.0.0.1:" in serving.stdout.readline()
            submitted = windtunnel("submit", file, "--data", folders.data)
            assert submitted.returncode == 0, submitted.stderr
            deadline = time.monotonic() + 60
            while not any("windtunnel-tiny" in line for line in processes_of(folders)):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            serving.send_signal(how)
            serving.wait(30)
        finally:
            serving.kill()  # or a failed assertion would wait for the service for ever
    assert folders.sockets.exists() == (how == signal.SIGKILL)
    deadline = time.monotonic() + 10
    while left := processes_of(folders):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def test_run_uses_the_service_of_the_data_folder(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(name="joined", offset=77)))
    done = windtunnel("run", file, "--data", service.folders.data)
    assert done.returncode == 0, done.stderr
    assert service.get("/campaigns", limit=1)["campaigns"][0]["name"] == "joined"
    second = windtunnel("serve", "--data", service.folders.data)
    assert second.returncode == 3
    assert f"another service is already running on {service.folders.data}" in second.stderr
    assert f"(at {service.url})" in second.stderr


def test_run_starts_a_service_of_its_own_and_ends_it(tmp_path: Path) -> None:
    folders = new_data_folder()
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(name="alone")))
    done = windtunnel("run", file, "--data", folders.data)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("starting the service\n")
    assert re.search(rf"^  windtunnel open [0-9a-f]+ --data {folders.data}$", done.stdout, re.M)
    assert not folders.sockets.exists()
    assert processes_of(folders) == []
