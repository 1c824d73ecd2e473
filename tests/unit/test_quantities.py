"""Quantities are exact and have a unit; others are rejected with what is allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import QuantityError
from windtunnel.quantities import KINDS, Quantity, parse, parse_canonical


@pytest.mark.parametrize(
    ("text", "kind", "canonical"),
    [
        ("100Mbps", "rate", "100000000bps"),
        ("1.5Gbps", "rate", "1500000000bps"),
        ("1us", "time", "1000ns"),
        ("0.001ms", "time", "1000ns"),
        ("0s", "time", "0ns"),
        ("150KB", "bytes", "150000B"),
        ("128KiB", "bytes", "131072B"),
        ("2 MB", "bytes", "2000000B"),
        ("100p", "queue-limit", "100p"),
        ("3000B", "queue-limit", "3000B"),
        ("1bdp", "queue-limit", "1000mbdp"),
        ("0.25 bdp", "queue-limit", "250mbdp"),
        ("7p", "packets", "7p"),
    ],
)
def test_quantities_are_parsed_exactly(text: str, kind: str, canonical: str) -> None:
    assert str(parse(text, kind)) == canonical


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (100, "rate", "has no unit"),
        ("100", "rate", "is not a rate"),
        ("-1s", "time", "is negative; a time must not be"),
        ("NaN", "time", "is not a time"),
        ("1e3s", "time", "is not a time"),
        ("10Mbps", "time", "'Mbps' is not a unit of time"),
        ("10mbps", "rate", "'mbps' is not a unit of rate"),
        ("0.5ns", "time", "not a whole number of ns"),
        ("1.7p", "queue-limit", "not a whole number of p"),
        ("99999999999999s", "time", "too large"),
        ("١s", "time", "is not a time"),
        (True, "bytes", "has no unit"),
        ("1" * 1_000_001 + "ns", "time", "is not a time"),
        (None, "bytes", "has no unit"),
    ],
)
def test_rejects_invalid_quantities_with_the_reason(text: object, kind: str, expected: str) -> None:
    with pytest.raises(QuantityError, match=expected):
        parse(text, kind)


@given(st.sampled_from(sorted(KINDS)), st.integers(0, 2**63 - 1), st.data())
def test_canonical_and_readable_forms_read_back(kind: str, value: int, data: st.DataObject) -> None:
    quantity = Quantity(value, data.draw(st.sampled_from(KINDS[kind])))
    assert parse(str(quantity), kind) == quantity
    assert parse(quantity.readable(), kind) == quantity
    assert parse_canonical(str(quantity)) == quantity
