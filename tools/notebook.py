"""Executes docs/notebook.ipynb on a service of its own, and stores its outputs in it."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from windtunnel.embedded.folders import Folders, default_data
from windtunnel.embedded.service import EmbeddedService

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "notebook.ipynb"
_CELL_SECONDS = 600


def executed(path: Path, server: str, token: str) -> Any:
    """The notebook with the outputs of its cells on a service, in a folder of its own.

    Raises nbclient's CellExecutionError if a cell fails.
    """
    notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "WINDTUNNEL_SERVER": server,
            "WINDTUNNEL_TOKEN": token,
            "XDG_CACHE_HOME": folder,
            "IPYTHONDIR": folder,
        }
        NotebookClient(
            notebook,
            timeout=_CELL_SECONDS,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": folder}},
        ).execute(env=environment)
    return notebook


def main() -> None:
    with EmbeddedService(Folders(default_data()), print) as service:
        notebook = executed(NOTEBOOK, service.url, service.token)
    nbformat.write(notebook, NOTEBOOK)  # type: ignore[no-untyped-call]
    sys.stdout.write(f"{NOTEBOOK}: {len(notebook.cells)} cells executed\n")


if __name__ == "__main__":
    main()
