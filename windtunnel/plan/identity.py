"""Content identities: SHA-256 over RFC 8785 canonical JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import rfc8785


def cell_digest(scenario: Mapping[str, Any]) -> str:
    """Identity of a resolved scenario, in hex."""
    return hashlib.sha256(rfc8785.dumps(dict(scenario))).hexdigest()


def run_identity(cell: str, seed_index: int, simulator_digest: str) -> str:
    """Identity of one simulation: equal identity, equal bytes. In hex."""
    content: dict[str, Any] = {
        "cell": cell,
        "seed_index": seed_index,
        "simulator": simulator_digest,
    }
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()
