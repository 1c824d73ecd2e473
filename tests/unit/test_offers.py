"""What a host offers is what starts."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import TINY
from windtunnel.spec.description import Description
from windtunnel_worker.offers import InstalledPrograms


def test_a_build_that_does_not_start_is_left_out(tmp_path: Path, tiny: Description) -> None:
    good = tmp_path / "tiny" / "build" / "windtunnel-tiny"
    good.parent.mkdir(parents=True)
    shutil.copy2(TINY, good)
    for name, text in (("crashes", "#!/bin/sh\nexit 1\n"), ("says", "#!/bin/sh\necho hello\n")):
        broken = tmp_path / "tiny" / name / "windtunnel-tiny"
        broken.parent.mkdir()
        broken.write_text(text)
        broken.chmod(0o755)
    assert list(InstalledPrograms(tmp_path).now()) == [tiny.digest]
