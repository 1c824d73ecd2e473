"""The code of docs/python.md, and the notebook, on a real service."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.conftest import ROOT, Service
from tests.docs.blocks import block, blocks
from tools.notebook import NOTEBOOK, executed

EXAMPLE = "examples/incast.yaml"


def test_the_pages_code(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = (ROOT / EXAMPLE).read_text(encoding="utf-8")
    small = re.sub(r"workload.servers: \[.*\]", "workload.servers: [1, 4, 8]", campaign)
    small = small.replace("duration: 1s", "duration: 500ms").replace(
        "replications: 5", "replications: 2"
    )
    (tmp_path / "examples").mkdir()
    (tmp_path / EXAMPLE).write_text(small, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WINDTUNNEL_SERVER", service.url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    names: dict[str, Any] = {}
    in_readme = block("README.md", "import windtunnel")
    assert in_readme.text == block("docs/python.md", "import windtunnel").text
    for code in blocks():
        if code.page == "docs/python.md":
            exec(code.text, names)
    assert set(names["runs"]["metric"]) == {"round_goodput_mbps"}
    assert names["runs"]["workload.servers"].dtype == "int64"
    assert len(names["runs"]) == 18
    assert names["means"].shape == (3, 3)
    assert Path("incast.pdf").read_bytes().startswith(b"%PDF")
    assert set(names["slow"]["percent"]) == {1, 50, 99}
    assert list(names["windows"].columns) == ["cwnd flow0", "cwnd flow1", "goodput"]


def test_the_notebook_concludes_the_same_again(service: Service) -> None:
    """Its conclusions and tables, which are deterministic, are those that it shows."""
    stored: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    again = executed(NOTEBOOK, service.url, service.http.headers["authorization"].split()[1])
    compared = 0
    for before, after in zip(stored.cells, again.cells, strict=True):
        if "stable" in before.metadata.get("tags", []):
            assert texts(after) == texts(before)
            compared += 1
    assert compared == 4
    shown = [output for cell in again.cells for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", ()) for output in shown) == 2


def texts(cell: Any) -> list[str]:
    return [
        output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
        for output in cell["outputs"]
    ]
