"""The simulator's folders are layers: each includes only those below it."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "sim-images" / "ns3"
LAYERS = (
    "base", "fabric", "congestion", "topologies", "workloads", "spec", "probes", "results",
    "describe",
)  # fmt: skip
INCLUDE = re.compile(r'^#include "(\w+)/', re.MULTILINE)


def test_every_folder_with_code_is_a_layer() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/*.cc")}
    assert folders == {*LAYERS, "tests"}


def test_folders_include_lower_layers_only() -> None:
    upward = [
        f"{path.relative_to(SOURCE)} includes {included}/"
        for layer, folder in enumerate(LAYERS)
        for path in sorted((SOURCE / folder).glob("*.[ch]*"))
        for included in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if included != "ns3" and LAYERS.index(included) > layer
    ]
    assert upward == []
