"""The wheel, and an environment that has nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert (ROOT / "web" / "dist" / "index.html").exists(), "make web builds the pages"
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check"]
    subprocess.run(
        [*command, "--no-deps", "--no-build-isolation", "-w", folder, ROOT], cwd=folder, check=True
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Programs of a new virtual environment with the wheel, at the locked versions."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    locked = (ROOT / "requirements" / "local.txt").read_text(encoding="utf-8")
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(re.findall(r"^[\w.-]+==[^\\\n]+", locked, re.MULTILINE)))
    command: list[str | Path] = [
        folder / "bin" / "pip",
        "install",
        "-q",
        "--no-compile",
        "-c",
        constraints,
    ]
    subprocess.run(
        [*command, "--disable-pip-version-check", f"{wheel}[local]"], cwd=folder, check=True
    )
    yield folder / "bin"
    shutil.rmtree(folder)
