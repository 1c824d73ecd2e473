"""Content identities: SHA-256 over RFC 8785 canonical JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def cell_digest(canonical: Iterable[bytes]) -> str:
    """Identity of a resolved scenario, given as canonical JSON in pieces; in hex."""
    digest = hashlib.sha256()
    for piece in canonical:
        digest.update(piece)
    return digest.hexdigest()


def run_identity(cell: str, seed_index: int, simulator_digest: str) -> str:
    """Identity of one simulation: equal identity, equal bytes. In hex."""
    # Canonical: both digests are hex.
    content = f'{{"cell":"{cell}","seed_index":{seed_index},"simulator":"{simulator_digest}"}}'
    return hashlib.sha256(content.encode()).hexdigest()
