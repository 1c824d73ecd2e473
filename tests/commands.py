"""The installed command line, as tests call it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

WINDTUNNEL = Path(sys.executable).parent / "windtunnel"


def windtunnel(
    *arguments: str | Path,
    stdin: str | None = None,
    timeout: float = 120,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """``environment``: variables beside those of the test."""
    return subprocess.run(
        [WINDTUNNEL, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        env={**os.environ, **(environment or {})},
    )


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [WINDTUNNEL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
