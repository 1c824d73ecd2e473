"""Flow and port records by column."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.store.record_columns import columns_of, records_of
from windtunnel.store.tables import RecordColumn

FLOWS: list[dict[str, Any]] = [
    {"flow": 0, "group": "a", "fct_ms": 1.5, "connected": True, "path": ["x", {"share": 0.5}]},
    {"flow": 1, "fct_ms": None, "connected": False, "path": [], "start_ns": 7},
]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.lists(st.integers(), max_size=2),
)


def restored(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return records_of([RecordColumn(**column) for column in columns_of(records)])


def test_a_column_has_the_type_of_its_values() -> None:
    types = {column["name"]: column["value_type"] for column in columns_of(FLOWS)}
    assert types == {
        "flow": "integer",
        "group": "text",
        "fct_ms": "number",
        "connected": "boolean",
        "path": "json",
        "start_ns": "integer",
    }


def test_a_missing_field_is_not_a_null_one() -> None:
    assert restored(FLOWS) == FLOWS


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), VALUES), min_size=1, max_size=6))
def test_records_are_restored(records: list[dict[str, Any]]) -> None:
    """All but records without any field, of which a simulator prints none."""
    records = [{"index": index, **record} for index, record in enumerate(records)]
    assert restored(records) == records
