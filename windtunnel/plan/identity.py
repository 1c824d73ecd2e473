"""Content identities: SHA-256 over RFC 8785 canonical JSON."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785


def cell_digest(canonical: bytes) -> str:
    """Identity of a resolved scenario, given as canonical JSON; in hex."""
    return hashlib.sha256(canonical).hexdigest()


def run_identity(cell: str, seed_index: int, simulator_digest: str) -> str:
    """Identity of one simulation: equal identity, equal bytes. In hex."""
    content: dict[str, Any] = {
        "cell": cell,
        "seed_index": seed_index,
        "simulator": simulator_digest,
    }
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()
