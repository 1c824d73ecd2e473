"""Invalid input: problem+json with the field's path and what is allowed; nothing is stored."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FAT_TREE, Service, tiny_campaign

VALID: dict[str, Any] = {
    "name": "valid",
    "scenario": {**FAT_TREE, "algorithm": "cubic", "transport": {}},
    "sweep": {"topology.link.rate": ["100Mbps", "200Mbps"]},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The valid campaign with one change; ``/`` separates keys, because axes contain dots."""
    campaign = copy.deepcopy(VALID)
    *parents, last = path.split("/")
    target = campaign
    for key in parents:
        target = target[key]
    target[last] = value
    return campaign


CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown algorithm": (
        changed("scenario/algorithm", "cubik"),
        "scenario.algorithm",
        "'cubik' is not an algorithm of ns3; did you mean 'cubic'?",
    ),
    "unknown algorithm in the sweep": (
        changed("sweep/algorithm", ["cubic", "vagas"]),
        "sweep.algorithm[1]",
        "did you mean 'vegas'?",
    ),
    "odd k": (
        changed("scenario/topology/k", 5),
        "scenario.topology.k",
        "5 is odd; a fat-tree needs an even k, the number of ports per switch (2 to 16)",
    ),
    "k too large": (changed("scenario/topology/k", 18), "scenario.topology.k", "2 to 16"),
    "unknown field": (
        changed("scenario/topology/routes", "x"),
        "scenario.topology.routes",
        "unknown field; did you mean 'routing'?",
    ),
    "missing unit": (changed("scenario/duration", 10), "scenario.duration", "has no unit"),
    "wrong unit": (
        changed("scenario/duration", "10Mbps"),
        "scenario.duration",
        "'Mbps' is not a unit of time",
    ),
    "negative": (changed("scenario/duration", "-1s"), "scenario.duration", "is negative"),
    "negative number": (
        changed("scenario/workload/flows", -1),
        "scenario.workload.flows",
        "1 to 40000 is possible",
    ),
    "fraction for a count": (
        changed("scenario/workload/flows", 1.7),
        "scenario.workload.flows",
        "1.7 is not a whole number",
    ),
    "MinRto at the delayed-ACK timeout": (
        changed("scenario/transport", {"min_rto": "200ms"}),
        "scenario.transport.min_rto",
        "must be above transport.delayed_ack_timeout",
    ),
    "a segment that fragments": (
        changed("scenario/transport", {"segment": "1449B"}),
        "scenario.transport.segment",
        "at most 1448B",
    ),
    "late warm-up": (changed("scenario/warmup", "1s"), "scenario.warmup", "must end before"),
    "a host that does not exist": (
        changed("scenario/workload", {"kind": "random-pairs", "flows": 1, "pairs": [[0, 16]]}),
        "scenario.workload.pairs",
        "k^3/4 hosts",
    ),
    "a flow to oneself": (
        changed("scenario/workload", {"kind": "random-pairs", "flows": 1, "pairs": [[3, 3]]}),
        "scenario.workload.pairs",
        "two different hosts",
    ),
    "a parameter the algorithm lacks": (
        changed("scenario/algorithm", {"kind": "vegas", "Aplha": 1}),
        "scenario.algorithm.Aplha",
        "did you mean 'Alpha'?",
    ),
    "a port's name": (
        changed("series", [{"probe": "queue_length", "at": "core-0"}]),
        "series",
        "'core-0': no port of this topology",
    ),
    "a port that the topology lacks": (
        changed("series", [{"probe": "queue_length", "at": "core4.port0"}]),
        "series",
        "'core4.port0': no port of this topology",
    ),
    "a port recorded twice": (
        changed(
            "series",
            [{"probe": "queue_length", "at": "core", "step": step} for step in ("1ms", "2ms")],
        ),
        "series",
        "duplicate series",
    ),
    "too many samples": (
        changed("series", [{"probe": "queue_length", "at": "core", "step": "1us"}])
        | {"scenario": {**VALID["scenario"], "duration": "10s"}},
        "series",
        "more than 5 million samples",
    ),
    "an axis inside another": (
        changed("sweep/topology", [{"kind": "fat-tree", "k": 4}]),
        "sweep.topology",
        "which the axis 'topology.link.rate' sets as well",
    ),
    "a bracket in a name": (changed("a[", 1), "a[", "unknown field"),
    "empty axis": (changed("sweep/algorithm", []), "sweep.algorithm", "at least one value"),
    "duplicate cells": (
        changed("sweep/topology.link.rate", ["100Mbps", "0.1Gbps"]),
        "sweep",
        "is the same scenario as",
    ),
    "too many runs": (changed("replications", 10_000) | {
        "sweep": {"workload.flows": list(range(1, 50))}}, "sweep", "at most 100000 are allowed"),
    "a later field": (changed("impairments", []), "impairments", "not supported yet"),
    "an unknown simulator": (changed("simulator", "ns4"), "simulator", "tiny; did you mean 'ns3'?"),
}  # fmt: skip


def stored(service: Service) -> int:
    return len(service.get("/campaigns", limit=500)["campaigns"])


@pytest.mark.parametrize("name", CASES)
def test_is_refused_over_rest(service: Service, name: str) -> None:
    campaign, path, expected = CASES[name]
    before = stored(service)
    answer = service.http.post("/campaigns", json=campaign)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == "invalid_spec"
    messages = {error["path"]: error["message"] for error in problem["errors"]}
    # Of a list's entry or of the whole list, as the simulator says.
    assert expected in next(text for at, text in messages.items() if at.startswith(path))
    assert stored(service) == before


def test_the_base_campaign_is_valid(service: Service) -> None:
    answer = service.http.post("/campaigns", params={"dry_run": True}, json=VALID)
    assert answer.status_code == 200, answer.text
    assert answer.json()["total_runs"] == 2


YAML_BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)
)


@pytest.mark.parametrize(
    ("body", "media_type", "status", "code", "expected"),
    [
        ("{", "application/json", 422, "invalid_spec", "not JSON"),
        ('{"a": ' + "[" * 500 + "]" * 500 + "}", "application/json", 422, "invalid_spec", "nested"),
        ('{"a": "\\ud800"}', "application/json", 422, "invalid_spec", "U+D800"),
        ('{"name": NaN}', "application/json", 422, "invalid_spec", "NaN is not a finite number"),
        ("a: [1,", "application/yaml", 422, "invalid_spec", "not YAML"),
        ("\x00\x01", "application/yaml", 422, "invalid_spec", "not YAML"),
        ("just words", "application/yaml", 422, "invalid_spec", "a campaign is a mapping"),
        ("", "application/yaml", 422, "invalid_spec", "empty"),
        (YAML_BOMB, "application/yaml", 422, "invalid_spec", "more than 100000 values"),
        ("name: " + "x" * 2**20, "application/yaml", 413, "body_too_large", "1048576"),
        ("name: x", "text/plain", 415, "unsupported_media_type", "application/yaml"),
        ("name: x", "", 415, "unsupported_media_type", "application/yaml"),
    ],
)
def test_invalid_request_bodies_are_rejected(
    service: Service, body: str, media_type: str, status: int, code: str, expected: str
) -> None:
    before = stored(service)
    answer = service.http.post("/campaigns", content=body, headers={"Content-Type": media_type})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert expected in answer.json()["detail"]
    assert stored(service) == before


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/campaigns/ffffffffff", 404, "not_found"),
        ("GET", "/campaigns/x", 404, "not_found"),
        ("GET", "/runs/%00", 404, "not_found"),
        ("GET", "/verifications/none", 404, "not_found"),
        ("GET", "/verifications/%00", 404, "not_found"),
        ("GET", "/schema?simulator=%00", 404, "not_found"),
        ("POST", "/campaigns/ffffffffff/cancel", 404, "not_found"),
        ("PUT", "/campaigns", 405, "method_not_allowed"),
        ("GET", "/campaigns?limit=0", 422, "invalid_request"),
        ("GET", "/campaigns?cursor=nonsense", 422, "invalid_request"),
        ("GET", "/campaigns?cursor=WzEsIDJd", 422, "invalid_request"),
        ("GET", "/campaigns?cursor=" + "W1tb" * 1000, 422, "invalid_request"),
        ("GET", "/campaigns?cursor=WyIyMDIwLTAxLTAxIiwgImFcdTAwMDAiXQ", 422, "invalid_request"),
        ("GET", "/schema?simulator=none", 422, "invalid_spec"),
        ("POST", "/nothing", 404, "not_found"),
        ("GET", "/campaigns/ffffffffff/cancel", 405, "method_not_allowed"),
        ("GET", "/campaigns?limits=3", 422, "invalid_request"),
    ],
)
def test_every_error_is_a_problem_document(
    service: Service, method: str, path: str, status: int, code: str
) -> None:
    answer = service.http.request(method, path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body", "field", "message"),
    [
        ("POST", "/campaigns?dry_run=maybe", {}, "query.dry_run", "'maybe' is neither true nor"),
        ("GET", "/campaigns?limit=abc", None, "query.limit", "'abc' is not a whole number"),
        ("GET", "/campaigns?limit=501", None, "query.limit", "out of range; at most 500"),
        ("GET", "/campaigns?cursor=zzz", None, "query.cursor", "use next_cursor of the previous"),
        (
            "POST", "/campaigns/ffffffffff/replications", {"reps": 6},
            "body.reps", "unknown field; known: replications",
        ),
        (
            "POST", "/campaigns/ffffffffff/replications", {"replication": 6},
            "body.replication", "unknown field; did you mean 'replications'?",
        ),
        (
            "POST", "/campaigns/ffffffffff/replications", {"replications": 1.5},
            "body.replications", "1.5 is not a whole number",
        ),
        ("POST", "/campaigns/ffffffffff/replications", {}, "body.replications", "missing"),
        (
            "POST", "/tokens", {"name": "a", "scope": "foo"},
            "body.scope", "'foo' is not one of 'read', 'submit', 'admin'",
        ),
        (
            "POST", "/tokens", {"name": "a", "scope": "read", "day": 3},
            "body.day", "unknown field; did you mean 'days'?",
        ),
    ],
)  # fmt: skip
def test_invalid_requests_say_what_is_allowed(
    service: Service, method: str, path: str, body: Any, field: str, message: str
) -> None:
    answer = service.http.request(method, path, json=body)
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "invalid_request"), problem
    messages = {error["path"]: error["message"] for error in problem["errors"]}
    assert message in messages[field]
    assert "Input should" not in answer.text


def test_a_quantity_without_unit_is_a_problem_of_its_field(service: Service) -> None:
    answer = service.http.post("/campaigns", json=tiny_campaign(duration=10))
    assert answer.json()["code"] == "invalid_spec"
    assert answer.json()["errors"][0]["message"].startswith("10 has no unit; expected a time")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/campaigns", "GET, POST"),
        ("GET", "/campaigns/ffffffffff/cancel", "POST"),
        ("POST", "/campaigns/ffffffffff", "DELETE, GET, PATCH"),
        ("DELETE", "/session", None),
    ],
)
def test_a_wrong_method_is_answered_with_the_right_ones(
    service: Service, method: str, path: str, allowed: str | None
) -> None:
    answer = service.http.request(method, path)
    assert answer.headers.get("allow") == allowed
    assert answer.status_code == (405 if allowed else 204)


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("/campaigns?limits=3", "limits", "did you mean 'limit'?"),
        ("/campaigns?page=3", "page", "known: sort, limit, cursor"),
        ("/campaigns/ffff?x=1", "x", "known: none"),
        ("/runs/ffff/series/queue?ful=1", "ful", "did you mean 'full'?"),
    ],
)
def test_unknown_query_parameters_are_rejected(
    service: Service, path: str, name: str, expected: str
) -> None:
    answer = service.http.get(path)
    assert answer.status_code == 422, answer.text
    [problem] = answer.json()["errors"]
    assert problem["path"] == f"query.{name}"
    assert problem["message"].startswith("unknown query parameter")
    assert expected in problem["message"]


@pytest.mark.parametrize("path", ["/campaigns/ffffffffff/replications", "/session"])
def test_other_bodies_must_be_json(service: Service, path: str) -> None:
    answer = service.http.post(path, content='{"a": 1}', headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert answer.json()["detail"] == "unsupported Content-Type 'text/plain'; use application/json"


@pytest.mark.parametrize("path", ["/campaigns/ffffffffff/replications", "/campaigns"])
def test_json_errors_have_line_and_column(service: Service, path: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = service.http.post(path, content='{\n "replications": x}', headers=headers)
    assert answer.status_code == 422
    [problem] = answer.json()["errors"]
    assert problem["line"] == 2
    assert problem["path"] in ("body", "")
    assert "not JSON: Expecting value" in problem["message"]
    assert "column 18" in problem["message"]


def windtunnel(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "windtunnel", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("name", CASES)
def test_is_refused_by_the_command_line(service: Service, tmp_path: Path, name: str) -> None:
    campaign, path, expected = CASES[name]
    file = tmp_path / "study.yaml"
    file.write_text(json.dumps(campaign, indent=1))  # JSON is YAML
    done = windtunnel("run", file, "--server", service.url)
    assert done.returncode == 2
    assert f": {path}" in done.stderr
    assert expected in done.stderr
    assert "nothing was submitted" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_the_command_line_names_the_line(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(
        "name: x\nscenario:\n  topology:\n    kind: fat-tree\n    k: 5\n"
        "  workload: {kind: random-pairs, flows: 2}\n  duration: 1s\n"
        "sweep:\n  algorithm:\n    - cubic\n    - cubik\n"
    )
    done = windtunnel("run", file, "--server", service.url)
    assert f"{file}:5: scenario.topology.k: 5 is odd" in done.stderr
    assert f"{file}:11: sweep.algorithm[1]: 'cubik' is not an algorithm" in done.stderr
    assert "2 problems, nothing was submitted" in done.stderr


def test_markup_in_names_is_printed_literally(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    axis = [{"label": "[/b]", "offset": 1}, {"label": "[red]x", "offset": 2}]
    file.write_text(json.dumps(tiny_campaign(name="markup", sweep={"x": axis})))
    done = windtunnel("run", file, "--server", service.url)
    assert done.returncode == 0, done.stderr
    assert "[/b]" in done.stdout
    assert "[red]x" in done.stdout


def test_an_unwritable_json_target_is_rejected_before_any_run(
    service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps(tiny_campaign(name="target")))
    target = tmp_path / "no" / "out.json"
    before = stored(service)
    done = windtunnel("run", file, "--server", service.url, "--json", target)
    assert done.returncode == 2
    assert "no such folder" in done.stderr
    assert stored(service) == before


def test_missing_files_and_unreachable_servers_are_reported(tmp_path: Path) -> None:
    assert windtunnel("run", tmp_path / "none.yaml").returncode == 2
    file = tmp_path / "study.yaml"
    file.write_text(json.dumps(tiny_campaign()))
    done = windtunnel("run", file, "--server", "http://127.0.0.1:9")
    assert done.returncode == 3
    assert "does not answer" in done.stderr
    assert "Traceback" not in done.stderr
    nobody = windtunnel("status", "--data", tmp_path)
    assert nobody.returncode == 3
    assert "no service is running on this machine" in nobody.stderr
    assert windtunnel("run").returncode == 2
    assert windtunnel("nonsense").returncode == 2
