"""The complete blocks of a design's rows, and the replication noise of their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.comparison.notes import seeds_text
from windtunnel.sensitivity.resampling import Array

# A seed with fewer complete blocks than this share of the best one's is left out.
_SEED_SHARE = 0.9
# A range below this share of the values is a rounding error of equal ones.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Blocks:
    """Values of the complete blocks for the seeds in use: blocks x rows of a block x seeds.

    ``rows`` are the rows' points, ``indices`` the places of these blocks among ``planned``.
    ``seeds`` may be fewer than planned: ``left_out`` are the others.
    """

    values: Array
    rows: NDArray[np.intp]
    indices: NDArray[np.intp]
    planned: int
    seeds: tuple[int, ...]
    left_out: tuple[int, ...]

    @property
    def means(self) -> Array:
        """Means over the seeds: blocks x rows."""
        return np.asarray(self.values.mean(axis=2))

    def noise_variance(self) -> float | None:
        """Variance of a mean over the seeds, within a point; None with one seed.

        Seeds are common to all points, so an amount that a seed adds to all of them is not noise:
        this is the residual of points and seeds (a two-way layout without replication).
        """
        if len(self.seeds) < 2:
            return None
        _, first = np.unique(self.rows, return_index=True)
        values = self.values.reshape(-1, len(self.seeds))[first]
        residuals = (
            values
            - values.mean(axis=1, keepdims=True)
            - values.mean(axis=0, keepdims=True)
            + values.mean()
        )
        df = max(1, (len(values) - 1) * (len(self.seeds) - 1))
        return float((residuals**2).sum() / df / len(self.seeds))

    def note(self, noun: str) -> str:
        """Which blocks, called ``noun``, and which seeds are left out; empty if none are."""
        parts = []
        left = self.planned - len(self.indices)
        if left:
            parts.append(f"{left} of {self.planned} {noun} left out: a value is missing in each")
        if self.left_out:
            seeds = seeds_text(self.left_out)
            parts.append(f"{seeds} left out: far fewer {noun} are complete")
        return "; ".join(parts)


def complete_blocks(values: Array, rows: Sequence[int], width: int, seeds: Sequence[int]) -> Blocks:
    """The complete blocks of ``width`` rows each.

    ``values``: points x seeds, NaN where one is missing; ``rows``: the point of each row. Uses the
    seeds that almost as many blocks have as the seed that most have.
    """
    of_rows = np.asarray(rows, dtype=np.intp).reshape(-1, width)
    blocks = values[of_rows]
    complete = np.asarray(np.isfinite(blocks).all(axis=1))  # blocks x seeds
    counts = complete.sum(axis=0)
    enough = max(1.0, _SEED_SHARE * counts.max(initial=0))
    used = [index for index in range(len(seeds)) if counts[index] >= enough]
    chosen = np.flatnonzero(complete[:, used].all(axis=1) & bool(used))
    return Blocks(
        values=blocks[chosen][:, :, used],
        rows=of_rows[chosen].reshape(-1),
        indices=chosen,
        planned=len(of_rows),
        seeds=tuple(seeds[index] for index in used),
        left_out=tuple(seed for index, seed in enumerate(seeds) if index not in used),
    )


def varies(values: Array) -> bool:
    """Whether values differ by more than rounding errors."""
    spread = float(values.max() - values.min())
    return spread > _ROUNDING * float(np.abs(values).max())
