"""Templates: campaign files to start from, all of which can be planned."""

from __future__ import annotations

from tests.conftest import ROOT, Service
from windtunnel.settings import Settings
from windtunnel.templates import templates

YAML = {"Content-Type": "application/yaml"}


def test_templates_are_the_examples_and_the_papers(service: Service) -> None:
    answer = service.get("/templates")
    assert answer["max_bytes"] == Settings().max_body_bytes
    listed = answer["templates"]
    names = [(template["kind"], template["name"]) for template in listed]
    assert names == [
        ("example", "coexistence"),
        ("example", "completion-times"),
        ("example", "incast"),
        ("example", "two-flows"),
        ("paper", "cfi16/quick"),
        ("paper", "cfi16/sensitivity"),
        ("paper", "cfi16/table-4"),
    ]
    quick = listed[4]
    assert quick["title"] == "cfi16-quick"
    assert quick["description"].startswith("Eight congestion controls on a fat-tree")
    assert quick["file"] == (ROOT / "papers" / "cfi16" / "quick.yaml").read_text("utf-8")
    assert all(template["description"] for template in listed)


def test_every_template_can_be_planned(service: Service) -> None:
    for template in templates():
        planned = service.http.post(
            "/campaigns", params={"dry_run": True}, content=template.file.encode(), headers=YAML
        )
        assert planned.status_code == 200, (template.name, planned.text)
        if template.kind == "example":
            assert planned.json()["lints"] == [], template.name
            assert template.file.startswith("# "), template.name
