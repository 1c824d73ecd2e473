"""Suggestions for names that were almost right: ``; did you mean 'cubic'?``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.errors import quoted

_LONGEST = 100  # characters of a word that is compared with names
# ``Vegas-1,3``: as papers write a variant with its parameters.
_WITH_PARAMETERS = re.compile(r"(?P<name>.*?)[-( ]+(?P<numbers>[0-9.]+(?:[, /-]+[0-9.]+)*)\)?")


def nearest(word: str, known: Sequence[str]) -> str:
    """``; did you mean 'cubic'?`` or nothing, for the end of a sentence."""
    name = _nearest_name(word, known)
    return f"; did you mean {name!r}?" if name else ""


def unknown_metric(name: str, known: Sequence[str]) -> str:
    """The message about a metric that does not exist, or that stands for several."""
    similar = [other for other in known if name and name in other and ":" not in other]
    if len(similar) > 1:
        return f"{quoted(name)} is ambiguous: {', '.join(similar)}"
    hint = nearest(name, known) or f"; known metrics: {', '.join(known)}"
    return f"{quoted(name)} is not a metric{hint}"


def nearest_kind(word: str, choices: Mapping[str, Mapping[str, Any]]) -> str:
    """As ``nearest``, of the kinds of a schema's choices.

    Numbers after a name are its parameters: ``Vegas-1,3`` gives
    ``{kind: vegas, Alpha: 1, Beta: 3}``.
    """
    direct = nearest(word, list(choices))
    match = _WITH_PARAMETERS.fullmatch(word) if len(word) <= _LONGEST else None
    if match is None or _key(word) in map(_key, choices):
        return direct
    kind = _nearest_name(match["name"], list(choices))
    if kind is None:
        return direct
    numbers = re.split(r"[, /-]+", match["numbers"])
    parameters = [
        name
        for name, schema in choices[kind]["properties"].items()
        if schema.get("type") in ("number", "integer")
    ]
    if len(numbers) > len(parameters):
        return direct
    settings = ", ".join(
        f"{name}: {number}" for name, number in zip(parameters, numbers, strict=False)
    )
    return f"; did you mean {{kind: {kind}, {settings}}}?"


def _nearest_name(word: str, known: Sequence[str]) -> str | None:
    if len(word) > _LONGEST:
        return None
    by_key = {_key(name): name for name in known}
    if _key(word) in by_key:
        return by_key[_key(word)]
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if not close:
        close = [by_key[key] for key in difflib.get_close_matches(_key(word), by_key, n=1)]
    return close[0] if close else None


def _key(name: str) -> str:
    """A name without what spellings differ in: ``TCP NewReno`` and ``newreno`` are one."""
    text = name.lower().replace("+", " plus ")
    return re.sub(r"[^a-z0-9]", "", re.sub(r"^tcp(?=[ -])", "", text.strip()))
