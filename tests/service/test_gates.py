"""Gates over REST and on the command line, on real (tiny) simulations."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.commands import WINDTUNNEL, windtunnel
from tests.conftest import Service, tiny_campaign
from tests.docs.blocks import block

# value = offset + seed % modulus: under every seed 1010 and 1200 are 10 and 200 above the baseline.
BASE, NEAR, FAR = 1000, 1010, 1200
GATES = [
    {"metric": "value", "require": "equivalent within 2 %", "cells": {"offset": NEAR}},
    {"metric": "value", "require": "equivalent within 2 %", "cells": {"offset": FAR}},
]


def campaign(name: str, gates: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    grid = {"sweep": {"offset": [BASE, NEAR, FAR]}, "baseline": {"offset": BASE}, "modulus": 7}
    return {**tiny_campaign(name, **{"replications": 5, **grid, **changes}), "gates": gates}


@pytest.fixture
def study(tmp_path: Path) -> Any:
    def write(name: str, gates: list[dict[str, Any]], **changes: Any) -> Path:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(campaign(name, gates, **changes)))
        return path

    return write


def run_of(service: Service, campaign_id: str, offset: int, seed: int) -> str:
    (run,) = [
        run["id"]
        for run in service.runs(campaign_id)
        if run["coordinates"]["offset"] == str(offset) and run["seed_index"] == seed
    ]
    return str(run)


def newest(service: Service) -> str:
    return str(service.get("/campaigns", limit=1)["campaigns"][0]["id"])


def test_stored_gates_and_others_have_the_same_form(service: Service) -> None:
    id_ = service.submit(campaign("rest", GATES))["id"]
    service.wait(id_)
    stored = service.get(f"/campaigns/{id_}/gates")
    near, far = stored["gates"]
    assert (stored["status"], near["status"], far["status"]) == ("failed", "passed", "failed")
    (cell,) = far["cells"]
    assert cell["difference"]["mean"] == 200
    assert cell["reference"] == {"offset": str(BASE)}
    assert cell["outcome"] == "failed"
    assert cell["worst"]["run"] == run_of(service, id_, FAR, cell["worst"]["seed"])
    assert (far["allowed"], far["relative"], far["unit"]) == ("±2 %", True, "things")
    for media, body in (
        ("application/json", json.dumps({"gates": GATES})),
        ("application/yaml", f"gates: {json.dumps(GATES)}"),
    ):
        answer = service.http.post(
            f"/campaigns/{id_}/gates", content=body, headers={"Content-Type": media}
        )
        assert answer.status_code == 200, answer.text
        assert answer.json() == stored


def test_a_campaign_without_gates_has_no_status(service: Service) -> None:
    id_ = service.submit(campaign("none", []))["id"]
    assert service.get(f"/campaigns/{id_}/gates") == {
        "campaign": id_, "status": None, "extend_to": None, "gates": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ('{"gates": [{"metric": "valeu", "require": "better"}]}', "gates[0].metric", "'value'?"),
        ('{"gates": [{"metric": "value", "require": "best"}]}', "gates[0].require", "use 'not wo"),
        ('{"gates": []}', "gates", "at least 1"),
        ("{}", "gates", "missing"),
        ("[1", "", "JSON"),
    ],
)
def test_problems_of_a_file_of_gates_are_listed(
    service: Service, body: str, path: str, message: str
) -> None:
    id_ = service.submit(campaign("problems", []))["id"]
    answer = service.http.post(
        f"/campaigns/{id_}/gates", content=body, headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_spec")
    (error,) = answer.json()["errors"]
    assert error["path"] == path
    assert message in error["message"]


def test_a_large_file_of_gates_is_refused_unread(service: Service) -> None:
    id_ = service.submit(campaign("large", []))["id"]
    answer = service.http.post(
        f"/campaigns/{id_}/gates",
        content="#" * 70_000,
        headers={"Content-Type": "application/yaml"},
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_run_gate_exits_by_the_answer(service: Service, study: Any, tmp_path: Path) -> None:
    output, xml, table = tmp_path / "out.json", tmp_path / "gates.xml", tmp_path / "gates.md"
    reports = "--json", output, "--junit", xml, "--markdown", table
    server = "--server", service.url
    passing = windtunnel("run", study("good", GATES[:1]), "--gate", *server, *reports)
    assert passing.returncode == 0, passing.stderr
    assert "passed  value  offset=1010  against 1000: +0.9" in passing.stdout
    assert "1 gate passed\n" in passing.stdout
    assert [gate["status"] for gate in json.loads(output.read_text())["gates"]] == ["passed"]

    failing = windtunnel("run", study("bad", GATES), "--gate", *server, *reports)
    assert failing.returncode == 1
    (line,) = [line for line in failing.stdout.splitlines() if line.startswith("FAILED")]
    assert line.startswith("FAILED  value  offset=1200  against 1000: +19.9")
    assert line.endswith("% (+200 things, 95 % CI +19.90 to +19.98 %, 5 seeds), allowed ±2 %")
    worst = run_of(service, newest(service), FAR, 1)[:12]
    assert (
        "1 of 2 gates failed; reproduce the worst seed:\n"
        f"  windtunnel simulate --run {worst} --server {service.url}" in failing.stdout
    )
    suite = ET.fromstring(xml.read_text())[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("bad", "2", "1")
    assert [case.find("failure") is None for case in suite] == [True, False]
    assert "| FAILED | value | offset=1200  against 1000 |" in table.read_text()

    without = windtunnel("run", study("bad", GATES), *server)
    assert without.returncode == 0
    assert "gate" not in without.stdout


def test_the_documented_ci_job_can_run_again(service: Service, study: Any, tmp_path: Path) -> None:
    study("study", [GATES[0]]).rename(tmp_path / "study.yaml")
    variables = {"BRANCH": "fix", "COMMIT": "1f2e3d", "PIPELINE_ID": "17", "JOB_NAME": "gate"}
    path = f"{WINDTUNNEL.parent}:{os.environ['PATH']}"
    environment = os.environ | variables | {"PATH": path, "WINDTUNNEL_SERVER": service.url}
    ids = []
    for _ in range(2):
        job = block("docs/ci.md", "windtunnel run study.yaml --gate").text
        done = subprocess.run(
            ["sh", "-c", job], cwd=tmp_path, env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "gates.xml").exists()
        ids.append(newest(service))
    assert ids[0] == ids[1]
    labels = service.get(f"/campaigns/{ids[0]}")["labels"]
    assert labels == {"branch": "fix", "commit": "1f2e3d"}


def test_run_gate_needs_gates_before_anything_is_submitted(service: Service, study: Any) -> None:
    before = newest(service)
    done = windtunnel("run", study("empty", []), "--gate", "--server", service.url)
    assert (done.returncode, newest(service)) == (2, before)
    assert "has no gates; add the field gates" in done.stderr
    done = windtunnel("run", study("empty", []), "--junit", "x.xml", "--server", service.url)
    assert done.returncode == 2
    assert "--junit reports gates; add --gate" in done.stderr


def test_compare_gate_with_a_file_of_its_own(service: Service, tmp_path: Path) -> None:
    id_ = service.submit(campaign("own", []))["id"]
    service.wait(id_)
    server = "--server", service.url
    refused = windtunnel("compare", id_, "--gate", *server)
    assert refused.returncode == 2
    assert "has no gates; name a file of gates by --gates" in refused.stderr
    gates = tmp_path / "gates.yaml"
    gates.write_text("gates:\n- metric: value\n  require: at most 1300 things\n")
    assert windtunnel("compare", id_, "--gates", gates, *server).returncode == 0
    gates.write_text("gates:\n- metric: value\n  require: at most 1100 things\n")
    failing = windtunnel("compare", id_, "--gates", gates, *server)
    assert failing.returncode == 1
    assert "FAILED  value  offset=1200: 1,203" in failing.stdout
    assert "allowed at most 1100 things" in failing.stdout
    gates.write_text("gates:\n- metric: valeu\n  require: better\n")
    wrong = windtunnel("compare", id_, "--gates", gates, *server)
    assert wrong.returncode == 2
    assert f"{gates}:2: gates[0].metric: 'valeu' is not a metric" in wrong.stderr


def test_gates_over_failed_runs_never_pass(service: Service, study: Any) -> None:
    """4 as without gates: the gate fails only because there are no results."""
    gates = [{"metric": "value", "require": "not worse than 50 %", "inconclusive": "pass"}]
    sweep = {"misbehave": ["no", "crash"]}
    grid = tiny_campaign("crashed", sweep=sweep, replications=2, baseline={"misbehave": "no"})
    path = study("crashed", [])
    path.write_text(json.dumps({**grid, "gates": gates}))
    done = windtunnel("run", path, "--gate", "--server", service.url)
    assert done.returncode == 4
    assert (
        "FAILED  value  misbehave=crash  against no: incomplete: 0 of 2 runs have a value "
        "(seeds 1, 2 failed: sim_crashed)" in done.stdout
    )
    crashed = run_of_state(service, newest(service), "failed")
    assert f"windtunnel simulate --run {crashed[:12]}" in done.stdout


def run_of_state(service: Service, campaign_id: str, state: str) -> str:
    runs = [run for run in service.runs(campaign_id) if run["state"] == state]
    return str(min(runs, key=lambda run: run["seed_index"])["id"])


def test_a_gate_waits_for_runs_that_have_not_ended(service: Service) -> None:
    id_ = service.submit(campaign("slow", GATES[:1], wall=30))["id"]
    report = service.get(f"/campaigns/{id_}/gates")
    assert report["status"] == "pending"
    done = windtunnel("compare", id_, "--gate", "--server", service.url)
    assert done.returncode == 1
    assert "inconclusive  value  offset=1010  against 1000: incomplete: " in done.stdout
    assert "1 of 1 gate undecided: runs have not ended; to follow them:" in done.stdout
    service.http.post(f"/campaigns/{id_}/cancel")
    service.until(lambda: service.get(f"/campaigns/{id_}"), lambda state: state["ended"])
    cancelled = windtunnel("compare", id_, "--gate", "--server", service.url)
    assert cancelled.returncode == 4
    assert "FAILED  value  offset=1010" in cancelled.stdout


EXTENDING = {
    "metric": "value",
    "require": "equivalent within 15 things",
    "cells": {"offset": NEAR},
    "inconclusive": "extend",
}


def test_run_gate_extends_until_the_gate_decides(service: Service, study: Any) -> None:
    """Differences without spread: p is 2^-n, so 2 and 4 seeds are not enough at 1.25 %, 8 are."""
    path = study("grows", [EXTENDING], replications=2)
    done = windtunnel("run", path, "--gate", "--server", service.url)
    assert done.returncode == 0, done.stdout
    assert "undecided gates: extending to 4 replications" in done.stdout
    assert "undecided gates: extending to 8 replications" in done.stdout
    assert "allowed ±15 things, look 3 of 4" in done.stdout
    state = service.get(f"/campaigns/{newest(service)}")
    assert (state["replications"], state["total_runs"]) == (8, 24)
    again = service.get(f"/campaigns/{newest(service)}/gates")
    assert again["gates"][0]["look"]["number"] == 3


def test_a_campaign_superseded_while_it_is_extended_is_not_judged(
    service: Service, study: Any
) -> None:
    """Its runs go on in the newer one, which has the same: its gates would be pending."""
    path = study("overtaken", [EXTENDING], replications=2, sweep={"offset": [BASE, NEAR]}, wall=2)
    command = [WINDTUNNEL, "run", path, "--gate", "--label", "branch=a", "--server", service.url]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    service.until(
        lambda: service.get("/campaigns", limit=1)["campaigns"],
        lambda listed: (
            [(each["name"], each["replications"]) for each in listed] == [("overtaken", 4)]
        ),
    )
    older = newest(service)
    params = {"label": "branch=a", "supersede": "branch"}
    file = {**json.loads(path.read_text()), "replications": 4}
    newer = service.http.post("/campaigns", json=file, params=params).json()
    assert newer["superseded"] == [older]
    out, err = running.communicate(timeout=60)
    assert running.returncode == 4, out + err
    assert f"{older} was cancelled, superseded by {newer['id']}" in err.replace("\n", " ")
    assert "undecided" not in out.partition("extending to 4 replications")[2]


def test_by_hand_the_next_look_is_a_command(service: Service) -> None:
    id_ = service.submit(campaign("by hand", [EXTENDING], replications=2))["id"]
    service.wait(id_)
    done = windtunnel("compare", id_, "--gate", "--server", service.url)
    assert done.returncode == 1
    command = f"windtunnel extend {id_} --replications 4 --server {service.url}"
    assert f"more replications may decide:\n  {command}" in done.stdout
    service.http.post(f"/campaigns/{id_}/replications", json={"replications": 3})
    service.wait(id_)
    report = service.get(f"/campaigns/{id_}/gates")
    assert report["gates"][0]["look"]["replications"] == 2
    assert report["extend_to"] == 4


def test_a_quota_ends_the_extension_and_the_gate_fails(
    service: Service, study: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = service.client_of("gate-quota", max_open_runs=6)
    monkeypatch.setenv("WINDTUNNEL_TOKEN", alice.headers["authorization"].split()[1])
    path = study("quota", [EXTENDING], replications=2, sweep={"offset": [BASE, NEAR]}, wall=0.01)
    path.write_text(path.read_text().replace('"modulus": 7', '"modulus": 11'))
    done = windtunnel("run", path, "--gate", "--server", service.url)
    assert "not extended: " in done.stdout
    assert done.returncode == 1


def test_under_github_actions_gates_are_annotated(
    service: Service, study: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = windtunnel("run", study("github", GATES), "--gate", "--server", service.url)
    assert done.returncode == 1
    (annotation,) = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert annotation.startswith("::error title=gate FAILED::value  offset=1200  against 1000: +19")
    assert "allowed ±2 %25" in annotation
    assert summary.read_text().startswith("### Gates of github\n")


ACROSS = [
    {
        "metric": "value",
        "require": "equivalent within 2 %",
        "against": "label:branch=main",
        "allow_differences": True,  # the tiny simulator has no algorithm: its offset stands for it
    }
]


def test_gates_compare_with_the_newest_campaign_of_a_label(service: Service, study: Any) -> None:
    """A study without a baseline; the second one's cells are all 10 or 200 above the first's."""
    server = "--server", service.url
    plain: dict[str, Any] = {"sweep": {"duration": ["5ms", "7ms"]}, "baseline": {}}
    first = study("across", ACROSS, **plain, offset=BASE)
    early = windtunnel("run", first, "--gate", *server)
    assert early.returncode == 2
    assert "nothing was submitted: against label:branch=main: no other campaign" in early.stderr
    ungated = windtunnel("run", first, "--label", "branch=main", *server)
    assert ungated.returncode == 0, ungated.stderr
    main = newest(service)
    (unresolved,) = service.get(f"/campaigns/{main}/gates")["gates"]
    assert unresolved["status"] == "failed"
    assert "no other campaign has the label" in unresolved["cells"][0]["reason"]

    passing = windtunnel("run", study("across", ACROSS, **plain, offset=NEAR), "--gate", *server)
    assert passing.returncode == 0, passing.stderr
    assert f"against across {main}" in passing.stdout
    failing = windtunnel("run", study("across", ACROSS, **plain, offset=FAR), "--gate", *server)
    assert failing.returncode == 1
    assert f"FAILED  value  duration=5ms  against across {main}: +" in failing.stdout


def test_against_replaces_the_baseline_of_gates(service: Service, study: Any) -> None:
    """In itself the second campaign fails; against an equal one it passes."""
    gates = [{"metric": "value", "require": "equivalent within 2 %", "allow_differences": True}]
    server = "--server", service.url
    ids = []
    for modulus in (7, 8):
        service.wait(service.submit(campaign("replaced", gates, modulus=modulus))["id"])
        ids.append(newest(service))
    assert windtunnel("compare", ids[1], "--gate", *server).returncode == 1
    done = windtunnel("compare", ids[1], "--gate", "--against", ids[0], *server)
    assert done.returncode == 0, done.stdout
    assert f"against replaced {ids[0]}" in done.stdout
    stored = service.get(f"/campaigns/{ids[1]}/gates", against=ids[0])
    posted = service.http.post(
        f"/campaigns/{ids[1]}/gates", params={"against": ids[0]}, json={"gates": gates}
    )
    assert posted.json() == stored
    itself = windtunnel("compare", ids[1], "--gate", "--against", ids[1], *server)
    assert itself.returncode == 2
    assert f"{ids[1]} is the campaign itself" in itself.stderr
    unknown = service.http.get(f"/campaigns/{ids[1]}/gates", params={"against": "ffff"})
    assert unknown.status_code == 404


def test_main_under_other_conditions_is_no_reference(service: Service, study: Any) -> None:
    gates = [{**ACROSS[0], "require": "not worse than 90 %", "allow_differences": False}]
    plain: dict[str, Any] = {"sweep": {"offset": [BASE, NEAR]}, "baseline": {}}
    server = "--server", service.url
    first = study("conditions", gates, **plain)
    assert windtunnel("run", first, "--label", "branch=main", *server).returncode == 0
    longer = study("conditions", gates, **plain, duration="9ms")
    refused = windtunnel("run", longer, "--gate", *server)
    assert refused.returncode == 1
    assert "the scenarios differ: duration 10ms -> 9ms" in refused.stdout.replace("\n        ", " ")
    allowed = [{**gates[0], "allow_differences": True}]
    passing = windtunnel(
        "run", study("conditions", allowed, **plain, duration="9ms"), "--gate", *server
    )
    assert passing.returncode == 0, passing.stdout


@pytest.mark.parametrize("against", ["", "baseline"])
def test_against_nothing_is_refused(service: Service, against: str) -> None:
    id_ = service.submit(campaign("nothing", GATES))["id"]
    service.wait(id_)
    done = windtunnel("compare", id_, "--gate", "--against", against, "--server", service.url)
    assert done.returncode == 2
    assert "names no campaign" in done.stderr
    answer = service.http.get(f"/campaigns/{id_}/gates", params={"against": against})
    assert answer.status_code in (404, 422)
