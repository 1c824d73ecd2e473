"""Quantities with units: ``100Mbps``, ``1us``, ``1448B``, ``100p``.

Users may write any unit of a dimension. Plans, digests and run specs contain the canonical form, a
whole number of the base unit (``100000000bps``, ``1000ns``). Prefixes are decimal; ``KiB``, ``MiB``
and ``GiB`` are powers of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from windtunnel.errors import QuantityError, quoted


@dataclass(frozen=True)
class Dimension:
    """A physical dimension: its base unit, and its units as multiples of the base unit.

    ``zero`` is how nothing of it is written.
    """

    name: str
    base: str
    units: Mapping[str, int]
    example: str
    zero: str


RATE = Dimension(
    "rate",
    "bps",
    {"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12},
    "100Mbps",
    "0bps",
)
TIME = Dimension(
    "time",
    "ns",
    {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9},
    "10ms",
    "0s",
)
BYTES = Dimension(
    "bytes",
    "B",
    {
        "B": 1,
        "kB": 10**3,
        "KB": 10**3,
        "MB": 10**6,
        "GB": 10**9,
        "KiB": 2**10,
        "MiB": 2**20,
        "GiB": 2**30,
    },
    "150KB",
    "0B",
)
PACKETS = Dimension("packets", "p", {"p": 1}, "100p", "0p")
BDPS = Dimension("bandwidth-delay products", "mbdp", {"mbdp": 1, "bdp": 1000}, "1bdp", "0bdp")

# Values of a schema's `x-quantity`; the first dimension with a matching unit is used.
KINDS: Mapping[str, tuple[Dimension, ...]] = {
    "rate": (RATE,),
    "time": (TIME,),
    "bytes": (BYTES,),
    "packets": (PACKETS,),
    "queue-limit": (PACKETS, BYTES, BDPS),
    "queue-packets": (PACKETS, BDPS),
}

_FORM = re.compile(
    r"(?P<number>[0-9]{1,30}(?:\.[0-9]{1,30})?)\s?(?P<unit>[A-Za-z]{1,10})", re.ASCII
)
_MAX_VALUE = 2**63 - 1


@dataclass(frozen=True)
class Quantity:
    """A whole number of a dimension's base unit."""

    value: int
    dimension: Dimension

    def __str__(self) -> str:
        """The canonical text."""
        return f"{self.value}{self.dimension.base}"

    def readable(self) -> str:
        """The value in the largest unit in which it is a whole number."""
        if not self.value:
            return self.dimension.zero
        for unit, factor in sorted(self.dimension.units.items(), key=lambda item: -item[1]):
            if self.value % factor == 0 and unit != "KB":
                return f"{self.value // factor}{unit}"
        return str(self)


def parse(text: object, kind: str) -> Quantity:
    """Parse a quantity of ``kind`` (a key of KINDS).

    Raises QuantityError with what is allowed, also if it is not a whole number of base units.
    """
    dimensions = KINDS[kind]
    example = " or ".join(dimension.example for dimension in dimensions)
    if isinstance(text, bool) or not isinstance(text, str):
        raise QuantityError(
            f"{quoted(text)} has no unit; expected a {_title(kind)} such as {example}"
        )
    match = _FORM.fullmatch(text.strip())
    if match is None and _FORM.fullmatch(text.strip().removeprefix("-")):
        raise QuantityError(f"{text!r} is negative; a {_title(kind)} must not be")
    if match is None:
        raise QuantityError(
            f"{quoted(text)} is not a {_title(kind)}; expected for example {example}"
        )
    for dimension in dimensions:
        if match["unit"] in dimension.units:
            return _exact(text, Decimal(match["number"]), dimension, match["unit"])
    units = ", ".join(unit for dimension in dimensions for unit in dimension.units)
    raise QuantityError(
        f"{text!r}: {match['unit']!r} is not a unit of {_title(kind)}; allowed: {units}"
    )


def parse_canonical(text: str) -> Quantity | None:
    """Parse a canonical text; None if it is not one."""
    for dimension in (RATE, TIME, BYTES, PACKETS, BDPS):
        number = text.removesuffix(dimension.base)
        if number != text and number.isascii() and number.isdigit():
            return Quantity(int(number), dimension)
    return None


def _exact(text: str, number: Decimal, dimension: Dimension, unit: str) -> Quantity:
    value = number * dimension.units[unit]
    if value != value.to_integral_value():
        raise QuantityError(f"{text!r} is not a whole number of {dimension.base}")
    if value > _MAX_VALUE:
        raise QuantityError(f"{text!r} is too large; at most {_MAX_VALUE}{dimension.base}")
    return Quantity(int(value), dimension)


def _title(kind: str) -> str:
    return {
        "bytes": "size",
        "packets": "number of packets",
        "queue-limit": "queue limit",
        "queue-packets": "queue limit",
    }.get(kind, kind)
