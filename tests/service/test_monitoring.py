"""What an operator sees: metrics in a real Prometheus, alerts, log lines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import yaml

from tests.conftest import ROOT, Service, free_port, second_api, start_service, tiny_campaign

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service()


@pytest.fixture(scope="module")
def used(service: Service) -> Service:
    """A service that has seen some runs, one of them failed."""
    for campaign in (
        tiny_campaign("works", sweep={"offset": [1, 2]}),
        tiny_campaign("fails", misbehave="crash"),
    ):
        service.wait(service.submit(campaign)["id"])
    return service


def block(language: str, first: str) -> str:
    (found,) = re.findall(rf"^```{language}\n({first}.*?)^```", PAGE, re.M | re.S)
    return str(found)


@pytest.fixture(scope="module")
def prometheus(used: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus with the page's configuration and rules; its address."""
    program = shutil.which("prometheus")
    assert program is not None, "tools/system-packages test installs it"
    folder = tmp_path_factory.mktemp("prometheus")
    config: Any = yaml.safe_load(block("yaml", "scrape_configs"))
    (job,) = config["scrape_configs"]
    (folder / "token").write_text(used.running.token)
    job["authorization"]["credentials_file"] = str(folder / "token")
    job["static_configs"][0]["targets"] = [urlsplit(used.url).netloc]
    config["global"] = {"scrape_interval": "500ms", "evaluation_interval": "500ms"}
    config["rule_files"] = [str(folder / "rules.yaml")]
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config))
    (folder / "rules.yaml").write_text(block("yaml", "groups"))
    address = f"127.0.0.1:{free_port()}"
    with subprocess.Popen(
        [
            program,
            f"--config.file={folder / 'prometheus.yaml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address={address}",
        ],
        stderr=subprocess.DEVNULL,
    ) as process:
        yield f"http://{address}"
        process.terminate()


def query(prometheus: str, expression: str) -> list[dict[str, Any]]:
    """An instant query's result once there is one."""
    deadline = time.monotonic() + 30
    while True:
        try:
            answer = httpx2.get(f"{prometheus}/api/v1/query", params={"query": expression}).json()
            assert answer["status"] == "success", answer
            if answer["data"]["result"]:
                result: list[dict[str, Any]] = answer["data"]["result"]
                return result
        except httpx2.TransportError:
            pass
        assert time.monotonic() < deadline, expression
        time.sleep(0.3)


def test_the_dashboards_queries_return_data(used: Service, prometheus: str) -> None:
    used.get("/campaigns")
    expressions = [line.split("#")[0].strip() for line in block("promql", "sum").splitlines()]
    assert len(expressions) == 8
    for expression in expressions:
        # Rates need two scrapes, which here are half a second apart.
        assert query(prometheus, expression.replace("[5m]", "[1m]")), expression


def test_alerts_are_loaded_and_quiet(prometheus: str) -> None:
    query(prometheus, "windtunnel_workers")
    (group,) = httpx2.get(f"{prometheus}/api/v1/rules").json()["data"]["groups"]
    assert len(group["rules"]) == 4
    assert {rule["health"] for rule in group["rules"]} <= {"ok", "unknown"}
    for rule in group["rules"]:
        assert rule.get("lastError", "") == ""
        assert rule["state"] in ("inactive", "pending"), rule["name"]


def test_metrics_agree_with_the_api(used: Service) -> None:
    url = f"{used.url}/metrics"
    assert httpx2.get(url).status_code == 401
    text = httpx2.get(url, headers=used.headers).text
    assert 'windtunnel_runs{reason="",state="succeeded"} 2.0' in text
    assert 'windtunnel_runs{reason="sim_crashed",state="failed"} 1.0' in text
    assert "windtunnel_workers 1.0" in text
    assert "windtunnel_slots 2.0" in text
    assert "windtunnel_database_up 1.0" in text
    assert re.search(r'windtunnel_table_bytes\{table="run"\} \d', text)
    used.http.get("/campaigns/ffffffff")
    used.http.get("/campaigns/eeeeeeee")
    text = httpx2.get(url, headers=used.headers).text
    route = 'method="GET",route="/api/v1/campaigns/{campaign_id}",status="404"'
    assert f"windtunnel_requests_total{{{route}}} 2.0" in text
    assert "ffffffff" not in text


def test_every_metric_is_documented(used: Service) -> None:
    text = httpx2.get(f"{used.url}/metrics", headers=used.headers).text
    names = set(re.findall(r"^# TYPE (windtunnel_\w+) ", text, re.M)) - {"windtunnel_build_info"}
    created = {name for name in names if name.endswith("_created")}
    documented = {
        name.split("{")[0]
        for name in re.findall(r"`(windtunnel_[^`]+)`", PAGE.split("## Alerts")[0])
    }
    assert names - created == documented


def test_each_request_has_a_line_with_its_id_and_token(
    used: Service, capfd: pytest.CaptureFixture[str]
) -> None:
    with second_api(used, WINDTUNNEL_LOG_LEVEL="INFO", WINDTUNNEL_LOG_FORMAT="json") as url:
        answer = httpx2.get(f"{url}/api/v1/campaigns", headers=used.headers)
        given = {"X-Request-Id": "proxy-7"}
        refused = httpx2.get(f"{url}/api/v1/campaigns", headers=given)
        forged = {"X-Request-Id": "a b\tc" * 30}
        httpx2.get(f"{url}/a%0a{{forged}}", headers=forged)
    assert refused.headers["x-request-id"] == "proxy-7"
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]
    requests = [line for line in lines if line["logger"] == "windtunnel.requests"]
    by_id = {line["request"]: line for line in requests}
    line = by_id[answer.headers["x-request-id"]]
    assert line["message"] == "GET '/api/v1/campaigns' 200"
    assert (line["token"], line["client"]) == ("owner", "127.0.0.1")
    assert line["milliseconds"] > 0
    assert by_id["proxy-7"]["token"] == "-"
    assert all(len(id_) <= 64 for id_ in by_id)


def test_a_text_line_cannot_be_forged(used: Service, capfd: pytest.CaptureFixture[str]) -> None:
    with second_api(used, WINDTUNNEL_LOG_LEVEL="INFO") as url:
        httpx2.get(f"{url}/a%0a2026-01-01 INFO windtunnel.requests GET '/admin' 200")
    lines = capfd.readouterr().err.splitlines()
    assert not any(line.startswith("2026-01-01 ") for line in lines)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    from windtunnel import logs

    with pytest.raises(ValueError, match="must be text or json"):
        logs.configure("INFO", "xml")
