"""docs/figures.md says what the command does."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from tests.conftest import ROOT
from windtunnel.cli import plotting
from windtunnel.plot import KINDS, PlotRequest

PAGE = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^windtunnel plot .*$", PAGE, re.MULTILINE)
COMPLETION = ("--install-completion", "--show-completion")  # of an app on its own


def options() -> dict[str, Any]:
    """The command's parameters by each of their options."""
    command = get_command(plotting.app)
    return {name: each for each in command.params for name in each.opts if name.startswith("-")}


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_are_understood(line: str) -> None:
    context = get_command(plotting.app).make_context("plot", shlex.split(line)[2:])
    given = context.params
    assert given["campaign"] == "ID"
    assert given["output"].endswith(".pdf")
    PlotRequest(kind=given["kind"], width=given["width"], where=tuple(given["where"] or ()))


def test_every_kind_and_option_is_on_the_page() -> None:
    table = PAGE.split("## Options", 1)[1].split("## In Python", 1)[0]
    named = set(re.findall(r"`(--?[a-z-]+)`", table))
    assert named == set(options()) - {"--help", *COMPLETION}
    assert set(KINDS) <= set(re.findall(r"\(`(\w+)`\)", PAGE))
    assert len(COMMANDS) >= len(KINDS)


def test_images_exist_and_are_small() -> None:
    images = re.findall(r"!\[[^\]]+\]\((figures/\w+\.png)\)", PAGE)
    files = [ROOT / "docs" / image for image in images]
    assert {file.name for file in files} == {
        file.name for file in (ROOT / "docs/figures").iterdir()
    }
    assert sum(file.stat().st_size for file in files) < 600_000
