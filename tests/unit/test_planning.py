"""Plans of the service's dry run: notes, and metrics that do not exist."""

from __future__ import annotations

from typing import Any, cast

import pytest

from windtunnel.cli.planning import check_metrics, service_plan
from windtunnel.client.files import InputFile
from windtunnel.client.http import HttpClient, check_server
from windtunnel.errors import RefusedError

DIGEST = "2cbfa375" * 8
FILE = InputFile("study.yaml", b"name: x\nbaseline: {algorithm: newreno}\n", is_json=False)


class FakeClient:
    """Answers of a service with one worker."""

    def __init__(self, offered: list[str], replications: int = 5) -> None:
        self._offered = offered
        self._replications = replications

    def submit(self, file: InputFile, dry_run: bool = False) -> dict[str, Any]:
        assert dry_run
        return {
            "simulators": [{"name": "ns3", "digest": DIGEST}],
            "cells": [{"coordinates": {"algorithm": name}} for name in ("newreno", "cubic")],
            "replications": self._replications,
            "default_metrics": ["goodput_mbps", "goodput_mbps:newcomer"],
        }

    def get(self, path: str) -> dict[str, Any]:
        if path == "/workers":
            return {"workers": [{"simulators": self._offered}]}
        metrics = [{"name": "goodput_mbps"}, {"name": "packet_delay_ms_p99"}]
        entries = [{"digest": digest, "metrics": metrics} for digest in self._offered]
        return {"simulators": entries}


def client(*offered: str, replications: int = 5) -> HttpClient:
    return cast("HttpClient", FakeClient(list(offered), replications))


def test_a_pinned_build_that_is_gone_is_noted() -> None:
    assert service_plan(client(DIGEST), FILE)["notes"] == []
    assert service_plan(client(), FILE)["notes"] == [
        "no worker offers ns3@2cbfa3752cbf: its runs would wait until one does"
    ]


def test_metrics_are_checked_with_labels_and_suggestions() -> None:
    check_metrics(client(DIGEST), FILE, ["goodput_mbps:newcomer", "packet_delay_ms_p99"])
    with pytest.raises(RefusedError, match="did you mean 'packet_delay_ms_p99'"):
        check_metrics(client(DIGEST), FILE, ["packet_delay_p99"])
    with pytest.raises(RefusedError, match="windtunnel catalogue metrics"):
        check_metrics(client(DIGEST), FILE, ["xyz"])


def test_metrics_of_a_build_that_is_not_in_the_catalogue_are_not_refused() -> None:
    check_metrics(client(), FILE, ["anything"])


@pytest.mark.parametrize(
    ("server", "suggestion"),
    [
        ("foo", "http://foo:8000"),
        ("foo:9000", "http://foo:9000"),
        ("ftp://foo", "http://foo:8000"),
        ("http://", "http://localhost:8000"),
    ],
)
def test_what_is_not_a_url_is_refused(server: str, suggestion: str) -> None:
    with pytest.raises(RefusedError, match="is not a URL") as error:
        check_server(server)
    assert f"did you mean '{suggestion}'?" in str(error.value)


def test_a_port_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"not a URL such as http://127\.0\.0\.1:8000$"):
        check_server("http://foo:port")


def test_urls_are_accepted() -> None:
    for server in ("http://foo", "https://foo:8000/", "http://[::1]:8000"):
        check_server(server)
