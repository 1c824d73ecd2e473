"""The expressions in which simulators state constraints and cost."""

import pytest

from windtunnel.spec.expressions import evaluate, evaluate_names

SCENARIO = {
    "a": {
        "rate": "100bps",
        "time": "2000ns",
        "none": None,
        "list": [[1, 2], [3, 4]],
        "items": [{"kind": "a", "size": "1B"}, {"kind": "b", "size": "2B"}],
    },
    "kind": "ring",
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a.rate", 100),
        ("a.missing.deep", None),
        ("'text", "text"),
        (["*", "a.rate", 2, 3], 600),
        (["/", "a.time", 1000], 2),
        (["-", 5, 2], 3),
        (["+", 1, 2, 3], 6),
        (["max", "a.list"], 4),
        (["min", 3, "a.rate"], 3),
        (["count", "a.list"], 2),
        (["==", "kind", "'ring"], True),
        (["if", ["<", "a.rate", 1], "a.time", 7], 7),
        (["or", ["not", "a.none"], ["count", "a.none"]], True),  # the second is not evaluated
        (["distinct-pairs", "a.list"], True),
        (["sum", ["column", "a.list", 1]], 6),
        (["abs", ["-", 2, 5]], 3),
        ([">=", 3, 3], True),
        (["list", 1, "'x"], [1, "x"]),
        (["pluck", ["where-in", "a.items", "'kind", "'b"], "'size"], [2]),
        (["distinct", ["pluck", "a.items", "'kind", "'size"]], True),
        (
            [
                "names-fit",
                ["list", "'b", "'p3"],
                ["names", ["list", "'b"]],
                ["template", "'p{}", 4],
            ],
            True,
        ),
        (["names-fit", ["list", "'c"], ["names", ["list", "'b"]], ["template", "'p{}", 4]], False),
    ],
)
def test_values(expression: object, value: object) -> None:
    assert evaluate(expression, SCENARIO) == value


def test_names_may_use_the_ones_before_them() -> None:
    assert evaluate_names({"x": ["*", "a.rate", 2], "y": ["+", "x", 1]}, SCENARIO)["y"] == 201


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
    ],
)
def test_names_fit_their_templates(name: str, fits: bool) -> None:
    templates = [["template", "'core"], ["template", "'core{}.port{}", 4, 4]]
    scenario = {"series": [{"at": name}]}
    assert evaluate(["names-fit", ["pluck", "series", "'at"], *templates], scenario) is fits


def test_an_operator_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="no operator is named 'frobnicate'"):
        evaluate(["frobnicate", 1], SCENARIO)
