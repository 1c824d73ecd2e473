"""Sentences that conclude from an analysis, and what has to be known to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windtunnel.numbers import number
from windtunnel.sensitivity.document import (
    ConfidenceValue,
    Effect,
    EffectKind,
    Method,
    SettingAnalysis,
)
from windtunnel.sensitivity.resampling import Array
from windtunnel.spec.description import Metric

_SMALL = 0.05  # a share of the variance that hardly matters
_NOISE_MATTERS = 0.02
_WIDE = 0.15  # half-width of an interval of shares
_GOOD_FIT = 0.7
_LISTED = 0.01  # of shares

Titles = Mapping[str, str]  # of axes

DETERMINISTIC = (
    "deterministic: axes and seeds explain all of the variance; without noise there are no tests"
)


def conclude(
    method: Method,
    metric: Metric,
    effects: Sequence[Effect],
    titles: Titles,
    values: Array,
    r_squared: float | None = None,
) -> str:
    """What explains the metric, in one or two sentences. ``values`` are all of its values."""
    unit = f" {metric.unit}" if metric.unit not in ("", "1") else ""
    if not effects:
        return (
            f"{metric.title} does not vary: it is {number(float(values.flat[0]))}{unit} everywhere"
        )
    if method is Method.ANOVA:
        return _shares(metric, effects, titles)
    if method is Method.SOBOL:
        return _indices(metric, effects, titles)
    if method is Method.MORRIS:
        return _elementary(metric, effects, titles, unit)
    return _coefficients(metric, effects, titles, r_squared or 0.0)


def notes(
    method: Method, unfinished: tuple[int, int], analyses: Sequence[SettingAnalysis]
) -> tuple[str, ...]:
    """What holds for all settings: how far the campaign is, and what the figures are."""
    left, planned = unfinished
    sentences = []
    if left:
        sentences.append(f"{left} of {planned} runs have not ended; the figures will change")
    varying = [analysis for analysis in analyses if analysis.effects]
    if not varying:
        return tuple(sentences)
    sentences.append(_LEGENDS[method])
    if any(len(analysis.seeds) == 1 for analysis in varying):
        sentences.append(_ONE_SEED[method])
    if method is Method.SOBOL and any(_is_wide(analysis) for analysis in varying):
        sentences.append(
            "the intervals are wide; twice the n of the design narrows them by 30 % and reuses "
            "these runs"
        )
    return tuple(sentences)


def noise_note(
    method: Method, share: float | None, effects: Sequence[Effect], titles: Titles
) -> str:
    """What replication noise does to the figures of a design; empty where it does not matter.

    ``share`` is its share of the variance.
    """
    if share is None:
        return ""
    if method is Method.SRRC:
        if share < _NOISE_MATTERS:
            return ""
        percent = f"{100 * share:.0f} %"
        return f"replication noise is {percent} of the variance, which no regression explains"
    if method is Method.SOBOL:
        lifted = [e for e in effects if e.figures["noise"].value >= _NOISE_MATTERS]
        amounts = [f"{100 * e.figures['noise'].value:.0f} of {_total(e)}" for e in lifted]
        what = "is a part of total indices"
    else:
        stars = [(e, e.figures["mu_star"].value) for e in effects]
        lifted = [e for e, star in stars if e.figures["noise"].value >= star / 2 > 0]
        amounts = [number(e.figures["noise"].value) for e in lifted]
        what = "alone would give at least half of the mu*"
    if not lifted:
        return ""
    named = [f"{_name(e, titles)} {amount}" for e, amount in zip(lifted, amounts, strict=True)]
    return f"replication noise {what}: {', '.join(named)}; more seeds reduce it"


def rounding_note(zero_steps: Mapping[str, int], trajectories: int) -> str:
    """Which elementary effects are left out because rounding removed a step; empty if none is.

    ``zero_steps`` are counts by the title of an axis.
    """
    counts = [
        f"{count} of {trajectories} of {title}" for title, count in zero_steps.items() if count
    ]
    if not counts:
        return ""
    return (
        f"elementary effects left out: {', '.join(counts)}; rounding leaves the value unchanged in "
        "their steps, a wider range would not"
    )


def _total(effect: Effect) -> str:
    return f"{100 * effect.figures['total'].value:.0f} %"


_LEGENDS = {
    Method.ANOVA: (
        "shares of the total sum of squares; every listed value of an axis weighs the same; p: F "
        "test against the noise"
    ),
    Method.SOBOL: (
        "first: share of the variance that an axis explains by itself; total: with all of its "
        "interactions; 95 % bootstrap intervals over blocks"
    ),
    Method.MORRIS: (
        "mu*: mean absolute change of the metric per whole range of an axis; mu: with its sign; "
        "sigma: spread, from interactions and curvature; 95 % bootstrap intervals over trajectories"
    ),
    Method.SRRC: (
        "SRRC: standardized rank regression coefficient, from -1 to 1; 95 % bootstrap intervals "
        "over rows; interactions are not told apart: that takes design saltelli"
    ),
}
_ONE_SEED = {
    Method.ANOVA: "with one seed noise can't be told from interactions; there are no tests",
    Method.SOBOL: "with one seed the replication noise is unknown; it is part of the total indices",
    Method.MORRIS: "with one seed the replication noise is unknown; it is part of mu* and sigma",
    Method.SRRC: "with one seed the replication noise is unknown; it lowers R^2",
}


def _is_wide(analysis: SettingAnalysis) -> bool:
    firsts = [effect.figures["first"] for effect in analysis.effects]
    return any(
        value.low is not None and value.high is not None and (value.high - value.low) / 2 > _WIDE
        for value in firsts
    )


def _shares(metric: Metric, effects: Sequence[Effect], titles: Titles) -> str:
    """The largest effects, then what is left to the seeds."""
    chance = [e for e in effects if e.kind in (EffectKind.SEED, EffectKind.NOISE)]
    causes = [effect for effect in effects if effect not in chance]
    ranked = sorted(causes, key=lambda effect: -effect.figures["share"].value)
    listed = [effect for effect in ranked[:3] if effect.figures["share"].value >= _LISTED]
    left = sum(effect.figures["share"].value for effect in chance)
    rest = f"; seeds and noise {100 * left:.0f} %" if left >= _LISTED / 2 else ""
    if not listed:
        return f"no axis explains 1 % of the variance of {metric.title}{rest}"
    names = [_name(effect, titles) for effect in listed]
    shares = [_percent(effect.figures["share"]) for effect in listed]
    others = [f"{name} {share}" for name, share in zip(names[1:], shares[1:], strict=True)]
    more = f", then {' and '.join(others)}" if others else ""
    verb = "explain" if listed[0].kind is EffectKind.INTERACTIONS else "explains"
    return f"{names[0]} {verb} {shares[0]} of the variance of {metric.title}{more}{rest}"


def _indices(metric: Metric, effects: Sequence[Effect], titles: Titles) -> str:
    ranked = sorted(effects, key=lambda effect: -effect.figures["first"].value)
    top = ranked[0].figures["first"]
    if top.low is not None and top.low <= 0:
        return (
            f"no axis explains a share of the variance of {metric.title} by itself that can be "
            "told from 0"
        )
    share = f"{_percent(top)} of the variance of {metric.title} by itself"
    text = f"{_name(ranked[0], titles)} explains {share}"
    others = [e for e in ranked[1:] if (e.figures["first"].low or 0.0) > 0]
    if others:
        listed = [f"{_name(e, titles)} {_percent(e.figures['first'])}" for e in others[:2]]
        text += f", then {' and '.join(listed)}"
    joint = 1 - sum(effect.figures["first"].value for effect in effects)
    if joint > _SMALL:
        text += f"; interactions and noise about {100 * joint:.0f} %"
    weak = [e for e in effects if _is_inert(e.figures["total"])]
    if weak:
        names = ", ".join(_name(effect, titles) for effect in weak)
        verb = "matters" if len(weak) == 1 else "matter"
        text += f"; {names} hardly {verb} (total below {100 * _SMALL:.0f} %)"
    return text


def _is_inert(total: ConfidenceValue) -> bool:
    return total.high is not None and total.high < _SMALL


def _elementary(metric: Metric, effects: Sequence[Effect], titles: Titles, unit: str) -> str:
    ranked = sorted(effects, key=lambda effect: -effect.figures["mu_star"].value)
    top = ranked[0]
    star, sigma = top.figures["mu_star"], top.figures["sigma"].value
    text = (
        f"{_name(top, titles)} changes {metric.title} most: by {number(star.value)}{unit} "
        f"{_interval(star)} over its range on average"
    )
    if len(ranked) > 1:
        second = ranked[1]
        text += f"; next {_name(second, titles)}, {number(second.figures['mu_star'].value)}{unit}"
    if sigma > star.value / 2:
        text += f"; its effect depends on where it is measured (sigma {number(sigma)})"
    return text


def _coefficients(
    metric: Metric, effects: Sequence[Effect], titles: Titles, r_squared: float
) -> str:
    fit = f"the rank regression explains {100 * r_squared:.0f} % of {metric.title} (R^2)"
    if r_squared < _GOOD_FIT:
        return (
            f"{fit}, too little to rank the axes by it: effects interact or change direction; use "
            "design saltelli"
        )
    ranked = sorted(effects, key=lambda effect: -abs(effect.figures["coefficient"].value))
    top = ranked[0].figures["coefficient"]
    direction = "raises" if top.value > 0 else "lowers"
    return (
        f"{_name(ranked[0], titles)} {direction} {metric.title} most (SRRC {top.value:.2f} "
        f"{_interval(top)}); {fit}"
    )


def _name(effect: Effect, titles: Titles) -> str:
    if effect.kind is EffectKind.INTERACTIONS:
        return "interactions of three and more axes"
    return " x ".join(titles[axis] for axis in effect.axes)


def _percent(value: ConfidenceValue) -> str:
    """``71 % [65, 76]``, or ``71 %`` without an interval."""
    text = f"{100 * value.value:.0f} %"
    if value.low is None or value.high is None:
        return text
    return f"{text} [{100 * value.low:.0f}, {100 * value.high:.0f}]"


def _interval(value: ConfidenceValue) -> str:
    if value.low is None or value.high is None:
        return ""
    resolution = (value.high - value.low) / 2
    return f"[{number(value.low, resolution)}, {number(value.high, resolution)}]"
