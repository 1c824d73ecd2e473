"""Problems in files, as the command line prints them."""

from __future__ import annotations

from windtunnel.cli.problems import problem_lines
from windtunnel.errors import Problem


def test_problems_are_sorted_by_line() -> None:
    problems = [Problem("b", "wrong", 9), Problem("a", "missing", 2), Problem("", "no line")]
    assert problem_lines("study.yaml", problems) == [
        "study.yaml: no line",
        "study.yaml:2: a: missing",
        "study.yaml:9: b: wrong",
    ]
    assert problem_lines(None, [Problem("--name", "is taken")]) == ["--name: is taken"]


def test_a_problem_of_several_axis_values_is_shown_once() -> None:
    message = "needs a rate"
    problems = [Problem(f"sweep.workload[{index}].rate", message, 12 + index) for index in range(8)]
    problems += [Problem("sweep.algorithm[1]", "'cubik' is not an algorithm", 4)]
    assert problem_lines("f", problems) == [
        "f:4: sweep.algorithm[1]: 'cubik' is not an algorithm",
        "f:12: sweep.workload[0].rate: needs a rate (and 7 more values)",
    ]
    assert problem_lines("f", problems[:2])[0].endswith("needs a rate (and 1 more value)")


def test_a_problem_of_several_simulators_is_shown_once() -> None:
    problems = [
        Problem("scenario.topology.k", f"5 is odd (simulator {name})", 3)
        for name in ("ns3", "ns3-3.43")
    ]
    assert problem_lines("f", problems) == [
        "f:3: scenario.topology.k: 5 is odd (simulator ns3) (and 1 more simulator)"
    ]


def test_different_problems_stay_apart() -> None:
    problems = [Problem("sweep.k[0]", "5 is odd", 1), Problem("sweep.k[1]", "7 is odd", 1)]
    assert len(problem_lines("f", problems)) == 2
