"""The installed command line, as tests call it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WINDTUNNEL = Path(sys.executable).parent / "windtunnel"


def windtunnel(
    *arguments: str | Path, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [WINDTUNNEL, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [WINDTUNNEL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
