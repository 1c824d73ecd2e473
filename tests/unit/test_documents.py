"""Documented lists are held against the code."""

from __future__ import annotations

import re
from dataclasses import fields

from tests.conftest import ROOT
from windtunnel import errors
from windtunnel.run import TRANSITIONS, FailureReason
from windtunnel.settings import PREFIX, Settings
from windtunnel.spec.description import Description


def rows(name: str) -> list[list[str]]:
    """Cells of every table row in a page of docs/, without the heads."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_states() -> None:
    documented = {(row[0], row[1], row[2]) for row in rows("states.md") if len(row) == 3}
    assert documented == {
        (f"`{before}`", f"`{after}`", why)
        for before, followers in TRANSITIONS.items()
        for after, why in followers.items()
    }


def test_failure_reasons() -> None:
    documented = {row[0].strip("`") for row in rows("states.md") if len(row) == 2}
    assert documented == {str(reason) for reason in FailureReason}


def test_settings() -> None:
    documented = {row[0].strip("`"): row[2] for row in rows("settings.md")}
    assert documented == {
        PREFIX + one.name.upper(): one.metadata["help"] for one in fields(Settings)
    }


def test_metrics(ns3: Description) -> None:
    documented = [(row[0].strip("`"), row[1], row[2], row[3]) for row in rows("metrics.md")]
    assert documented == [(m.name, m.unit or "1", m.direction, m.definition) for m in ns3.metrics]


def test_error_codes() -> None:
    documented = {row[0].strip("`") for row in rows("errors.md")}
    tree = [errors.WindtunnelError, *errors.WindtunnelError.__subclasses__()]
    http = {"method_not_allowed", "http_error", "invalid_request"}
    assert documented == {kind.code for kind in tree} | http


def test_algorithms(ns3: Description) -> None:
    documented = re.findall(
        r"^\| `([a-z-]+)` \|", (ROOT / "sim-images/ns3/README.md").read_text(), re.M
    )
    assert documented == [choice["title"] for choice in ns3.choices("algorithm")]
