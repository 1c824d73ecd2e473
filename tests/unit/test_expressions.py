"""The expressions in which simulators state what follows from a scenario."""

from typing import Any

import pytest

from windtunnel.errors import ContractError
from windtunnel.spec import expressions
from windtunnel.spec.expressions import MAX_LENGTH, Scope, summary

FIELDS = {
    "net": {
        "rate": 100.0,
        "delay": 2000.0,
        "hosts": [1.0, 2.0, 4.0],
        "table": summary([[1, 2], [3, 4]]),
    },
    "items": [{"kind": "a", "size": 1.0}, {"kind": "b", "size": 2.0}],
    "kind": "ring",
    "nothing": None,
}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("net.rate * 2.0 * 3.0", 600.0),
        ("100e9 * 8e9", 8e20),
        ("has(net.missing) ? net.missing : 7.0", 7.0),
        ("'nothing' in fields || 'kind' in fields", True),
        ("'nothing' in fields", False),
        ("least(net.hosts)", 1.0),
        ("greatest(3.0, net.rate, 5.0)", 100.0),
        ("sum(items.map(item, item.size))", 3.0),
        ("sum([])", 0.0),
        ("floor(2.7) + ceil(0.2) + abs(-1.5)", 4.5),
        ("distinct(items.map(item, item.kind))", True),
        ("distinct(['a', 'b', 'a'])", False),
        ("items.filter(item, item.kind == 'b').map(item, item.size)", [2.0]),
        ("size(items) == 2 && kind.matches('^r[a-z]+$')", True),
        ("net.table.rows == 2.0 && net.table.max[1] == 4.0 && net.table.ascending[0]", True),
    ],
)
def test_values(source: str, value: object) -> None:
    assert Scope(FIELDS).evaluate(source) == value


def test_quantities_may_use_the_ones_before_them() -> None:
    scope = Scope(FIELDS)
    scope.define({"x": "net.rate * 2.0", "y": "x + 1.0"})
    assert scope.quantities == {"x": 200.0, "y": 201.0}


def test_rows_are_summarized() -> None:
    points = summary([[10, 0.0], [20, 0.5], [40, 1.0]])
    assert points["rows"] == 3
    assert (points["min"], points["max"]) == ([10, 0], [40, 1])
    assert points["ascending"] == [True, True]
    # Half of the mass is uniform between 10 and 20, half between 20 and 40.
    assert points["cdf_mean"] == 0.5 * 15 + 0.5 * 30
    assert not summary([[1, 2], [3, 3]])["rows_distinct"]
    assert summary([[3, 1], [2, 5]])["ascending"] == [False, True]


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("core0.port3", True),
        ("core3.port0", True),
        ("core4.port0", False),
        ("core0.port4", False),
        ("core00.port0", False),
        ("coreX.port0", False),
        ("core", True),
        ("all", True),
    ],
)
def test_names_fit_their_templates(name: str, fits: bool) -> None:
    source = f"names_unfit(['{name}'], ['all'], [['core'], ['core{{}}.port{{}}', 4.0, 4.0]])"
    assert Scope({}).evaluate(source) == ([] if fits else [name])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("1 +", "is not CEL"),
        ("frobnicate(1.0)", "unknown functions: frobnicate"),
        ("x" * (MAX_LENGTH + 1), "is not an expression"),
        ("1.0 +\n 2.0", "is not an expression"),
        (["+", 1, 2], "is not an expression"),
        ("(" * 2000 + ")" * 2000, "is not CEL"),
    ],
)
def test_what_is_no_expression_is_said_when_it_is_read(source: Any, said: str) -> None:
    with pytest.raises(ContractError, match=said):
        expressions.check(source)


@pytest.mark.parametrize("source", ["missing + 1.0", "1 + 2.0", "net.rate.x", "least([])"])
def test_what_has_no_value_is_an_error_of_the_simulator(source: str) -> None:
    with pytest.raises(ContractError, match="has no value"):
        Scope(FIELDS).evaluate(source)
