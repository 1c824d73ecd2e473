"""The simulation of fault tests and of the soak."""

from __future__ import annotations

from typing import Any


def short_fat_tree() -> dict[str, Any]:
    """A scenario that takes a few tenths of a second; the queues' limit is swept."""
    return {
        "topology": {"kind": "fat-tree", "k": 4, "queue": {"kind": "drop-tail"}},
        "workload": {
            "kind": "random-pairs",
            "flows": 8,
            "on_mean": "200ms",
            "off_mean": "50ms",
        },
        "duration": "1s",
    }
