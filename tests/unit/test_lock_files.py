"""Requirements and lock files name packages and hashes, never the registry they came from."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

PYTHON = ["pyproject.toml", "windtunnel/embedded/binaries.txt"]
PYTHON += [f"requirements/{path.name}" for path in sorted((ROOT / "requirements").glob("*.txt"))]


# pip's options begin a line of their own; only hashes are expected there.
OPTION = re.compile(r"^\s*(-\S+)", re.MULTILINE)


@pytest.mark.parametrize("file", PYTHON)
def test_python_requirements_have_no_addresses(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert "://" not in text
    options = {word for word in OPTION.findall(text) if not word.startswith("--hash")}
    assert options == set()


def test_npm_packages_have_no_addresses() -> None:
    assert '"resolved"' not in (ROOT / "web" / "package-lock.json").read_text(encoding="utf-8")
    for file in (".npmrc", "package.json"):
        assert "://" not in (ROOT / "web" / file).read_text(encoding="utf-8")
