"""The wheel contains everything, and works in an empty environment outside the checkout."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, new_data_folder

SHIPPED = "windtunnel/_shipped/"


def test_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
        names = set(archive.namelist())
    assert metadata["License-Expression"] == "Apache-2.0 AND GPL-2.0-only"
    texts = ("LICENSES/Apache-2.0.txt", "LICENSES/GPL-2.0-only.txt")
    assert {*texts, "LICENSE"} == set(metadata.get_all("License-File", []))
    folder = name.removesuffix("METADATA") + "licenses/"
    assert {folder + text for text in texts} <= names


def test_pages_migrations_and_simulator_are_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "windtunnel", "migrations", "sim-images", "papers"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    files = [name for name in tracked if (ROOT / name).exists()]
    missing = [
        name
        for name in files
        if (name if name.startswith("windtunnel/") else SHIPPED + name) not in names
    ]
    assert missing == []
    assert f"{SHIPPED}web/dist/index.html" in names
    assert any(re.fullmatch(rf"{SHIPPED}web/dist/assets/.*\.js", name) for name in names)
    assert {"windtunnel_api/app.py", "windtunnel_worker/tasks.py"} <= names
    assert f"{SHIPPED}examples/incast.yaml" in names
    assert f"{SHIPPED}web/src/figures/algorithms.json" in names  # of `windtunnel plot`
    assert not any("node_modules" in name or "__pycache__" in name for name in names)


def test_a_campaign_and_the_pages(environment: Path, tmp_path: Path) -> None:
    folders = new_data_folder()
    campaign = {
        "name": "tiny",
        "simulator": "tiny",
        "scenario": {"duration": "10ms"},
        "sweep": {"offset": [1, 2]},
        "replications": 2,
    }
    (tmp_path / "tiny.yaml").write_text(json.dumps(campaign))
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    settings["WINDTUNNEL_DATA"] = str(folders.data)
    serve = subprocess.Popen(
        [environment / "windtunnel", "serve"],
        cwd=tmp_path, env=settings, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert serve.stdout is not None
        for line in serve.stdout:
            if address := re.search(r"Windtunnel is at (\S+)", line):
                break
        else:
            pytest.fail("windtunnel serve did not start")
        run = subprocess.run(
            [environment / "windtunnel", "run", "tiny.yaml"],
            cwd=tmp_path, env=settings, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        assert "2 cells x 2 seeds = 4 runs on tiny" in run.stdout
        with urllib.request.urlopen(address[1]) as response:
            page = response.read().decode()
        script = re.search(r'src="(/assets/[^"]+\.js)"', page)
        assert script is not None
        with urllib.request.urlopen(address[1] + script[1]) as response:
            assert response.status == 200
    finally:
        serve.send_signal(signal.SIGINT)
        serve.wait(30)
        shutil.rmtree(folders.data)
    assert serve.returncode == 0
