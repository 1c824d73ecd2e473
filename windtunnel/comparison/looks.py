"""Looks: how often a gate that extends its campaign may test, and at which sizes.

Testing again whenever there are more replications gives every look a chance of a false alarm. A
gate that extends tests at most four times, at sizes that are fixed when the campaign is submitted,
each at a quarter of the level (Bonferroni).
"""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.statistics.significance import ALPHA

MAX_LOOKS = 4


@dataclass(frozen=True)
class Look:
    """The ``number``-th of ``count`` looks, at the first ``replications``, at level ``alpha``.

    ``following`` are the replications of the next look; None after the last one.
    """

    number: int
    count: int
    replications: int
    alpha: float
    following: int | None


def only_look(replications: int) -> Look:
    """The look of a gate that does not extend: at all replications, at the full level."""
    return Look(1, 1, replications, ALPHA, None)


def current_look(initial: int, replications: int, maximum: int) -> Look:
    """The look that a campaign of ``replications`` has reached.

    Looks are at ``initial``, then at twice as many each, up to ``maximum``. Replications beyond
    those of the look are not used: the sizes must not depend on the results.
    """
    sizes = list(
        dict.fromkeys(
            max(initial, min(initial * 2**number, maximum)) for number in range(MAX_LOOKS)
        )
    )
    number = max(1, sum(size <= replications for size in sizes))
    following = sizes[number] if number < len(sizes) else None
    return Look(number, len(sizes), sizes[number - 1], ALPHA / MAX_LOOKS, following)
