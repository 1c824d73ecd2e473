"""The campaigns of the soak: short real simulations, synthetic ones, and ones that fail."""

from __future__ import annotations

import random
from typing import Any

from chaos.scenario import short_fat_tree

IMAGE = "windtunnel-soak/tiny"
_ALGORITHMS = ("newreno", "cubic", "vegas", "bic", "highspeed", "yeah")


def real(chance: random.Random) -> dict[str, Any]:
    """Up to 12 runs of a few tenths of a second, from a small pool: users share some of them."""
    return {
        "name": "soak-real",
        "simulator": "ns3",
        "scenario": short_fat_tree(),
        "sweep": {
            "algorithm": chance.sample(_ALGORITHMS, 3),
            "topology.queue.limit": [f"{chance.randrange(10, 40)}p", "50p"],
        },
        "series": [{"probe": "queue_length", "at": "core"}],
        "replications": chance.choice([1, 2]),
    }


def synthetic(chance: random.Random) -> dict[str, Any]:
    """20 runs of the tests' tiny simulator, of up to a second each, that no other campaign has."""
    first = chance.randrange(900_000)
    return {
        "name": "soak-synthetic",
        "simulator": "tiny",
        "scenario": {"duration": "10ms", "wall": chance.choice([0, 0.2, 1])},
        "sweep": {"offset": list(range(first, first + 10))},
        "replications": 2,
    }


def failing(chance: random.Random) -> dict[str, Any]:
    """Eight runs, of which the two of the first cell succeed."""
    return {
        "name": "soak-failing",
        "simulator": "tiny",
        "scenario": {"duration": "10ms", "offset": chance.randrange(900_000)},
        "sweep": {"misbehave": ["no", "crash", "garbage", "silent"]},
        "replications": 2,
    }


def failing_runs(campaign: dict[str, Any]) -> int:
    """How many runs of this campaign have to fail."""
    return 3 * int(campaign["replications"]) if campaign["name"] == "soak-failing" else 0
