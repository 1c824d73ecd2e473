"""A host's available simulators are those that start, in their current build."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.conftest import TINY
from windtunnel.simulator import InstalledSimulators
from windtunnel.spec.description import Description


def install(folder: Path, build: str, more: str = "") -> Path:
    program = folder / "tiny" / build / "windtunnel-tiny"
    program.parent.mkdir(parents=True)
    shutil.copy2(TINY, program)
    if more:
        program.write_text(program.read_text() + more)
    return program


def test_a_build_that_does_not_start_is_left_out(tmp_path: Path, tiny: Description) -> None:
    install(tmp_path, "build")
    for name, text in (("crashes", "#!/bin/sh\nexit 1\n"), ("says", "#!/bin/sh\necho hello\n")):
        broken = tmp_path / "tiny" / name / "windtunnel-tiny"
        broken.parent.mkdir()
        broken.write_text(text)
        broken.chmod(0o755)
    assert list(InstalledSimulators(tmp_path).now()) == [tiny.digest]


def test_new_changed_and_removed_builds_are_noticed(tmp_path: Path, tiny: Description) -> None:
    installed = InstalledSimulators(tmp_path)
    assert installed.now() == {}
    first = install(tmp_path, "first")
    assert list(installed.now()) == [tiny.digest]
    second = install(tmp_path, "second", "# an edit\n")
    os.utime(first.parent, (1, 1))
    newest = installed.newest()["tiny"]
    assert (len(installed.now()), newest.program) == (2, second)
    os.utime(first.parent, (2e9, 2e9))  # installed again
    assert installed.newest()["tiny"].program == first
    second.write_text(second.read_text() + "# another\n")
    assert newest.description.digest not in installed.now()
    shutil.rmtree(second.parent)
    assert list(installed.now()) == [tiny.digest]
    assert list(installed.newest()) == ["tiny"]


def test_a_program_that_is_being_copied_is_not_asked(tmp_path: Path) -> None:
    program = install(tmp_path, "build")
    program.rename(program.with_name(".fresh"))
    assert InstalledSimulators(tmp_path).now() == {}
