"""Lists in the documentation match the code."""

from __future__ import annotations

import re
from dataclasses import fields

from chaos.faults import ALL
from tests.conftest import ROOT
from tools.documents import algorithms_page
from windtunnel import campaign, errors, run
from windtunnel.run import FailureReason
from windtunnel.settings import PREFIX, Settings
from windtunnel.spec.description import Description


def rows(name: str) -> list[list[str]]:
    """Cells of every table row in a page of docs/, without headers."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_states() -> None:
    documented = [(row[0], row[1], row[2]) for row in rows("states.md") if len(row) == 3]
    assert documented == [
        (f"`{before}`", f"`{after}`", why)
        for table in (run.TRANSITIONS, campaign.TRANSITIONS)
        for before, followers in table.items()
        for after, why in followers.items()
    ]


def test_failure_reasons() -> None:
    documented = {row[0].strip("`") for row in rows("states.md") if len(row) == 2}
    assert documented == {str(reason) for reason in FailureReason}


def test_settings() -> None:
    documented = {row[0].strip("`"): row[2] for row in rows("settings.md")}
    assert documented == {
        PREFIX + field.name.upper(): field.metadata["help"] for field in fields(Settings)
    }


def test_metrics(ns3: Description) -> None:
    documented = [(row[0].strip("`"), row[1], row[2], row[3]) for row in rows("metrics.md")]
    assert documented == [(m.name, m.unit or "1", m.direction, m.definition) for m in ns3.metrics]


def test_error_codes() -> None:
    codes = {row[0].strip("`") for row in rows("errors.md")}
    documented = {code for code in codes if re.fullmatch("[a-z_]+", code)}
    tree: list[type[errors.WindtunnelError]] = [
        errors.WindtunnelError,
        *errors.WindtunnelError.__subclasses__(),
        *errors.SpecError.__subclasses__(),
    ]
    http = {"method_not_allowed", "http_error"}
    assert documented == {kind.code for kind in tree} | http


def test_faults() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    page = page.partition("\n## An hour of soak")[0]
    names = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    assert names == ["fault", *(fault.name for fault in ALL)]


def test_algorithms(ns3: Description) -> None:
    page = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
    assert page == algorithms_page(ns3), "make documents writes it again"


def test_every_parameter_has_a_default(ns3: Description) -> None:
    for algorithm in ns3.choices("algorithm"):
        assert all(algorithm[name] for name in ("x-formula", "x-source", "x-category"))
        for name, schema in algorithm["properties"].items():
            assert name == "kind" or "default" in schema, (algorithm["title"], name)
            assert name == "kind" or schema["description"], (algorithm["title"], name)


def test_the_suite_is_complete(ns3: Description) -> None:
    """Every algorithm of the five seed studies, the others of ns-3, and our variants."""
    assert {choice["title"] for choice in ns3.choices("algorithm")} == {
        *("newreno", "vegas", "highspeed", "scalable", "westwood-plus", "bic", "cubic", "yeah"),
        *("veno", "dctcp", "bbr", "compound", "dcvegas", "ia-tcp"),
        *("linux-reno", "hybla", "htcp", "illinois", "ledbat", "lp"),
        *("yeah-paper", "veno-paper", "highspeed-rfc3649"),
    }


def test_each_line_of_the_threat_model_names_a_test_that_exists() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    table = text.split("| attack |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(table) > 15
    for line in table:
        (test,) = re.findall(r"`(tests/\S+)` \|$", line)
        file, name = test.split("::")
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), test
