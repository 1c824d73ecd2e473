"""Campaign files: a safe subset of YAML 1.2, with line numbers."""

import time
from typing import Any

import pytest

from windtunnel.errors import Problem, SpecError
from windtunnel.spec import Document, read_json, read_yaml
from windtunnel.spec.document import Place, split_path


def problem_of(text: str | bytes, read: Any = read_yaml) -> Problem:
    with pytest.raises(SpecError) as caught:
        read(text)
    problem: Problem = caught.value.problems[0]
    return problem


def test_yaml_1_1_booleans_and_dates_are_strings() -> None:
    document = read_yaml("{on: 1s, off: no, version: 1.10, size: 010, when: 2026-01-01}")
    assert document.value == {
        "on": "1s",
        "off": "no",
        "version": 1.1,
        "size": 10,
        "when": "2026-01-01",
    }


def test_core_scalars() -> None:
    text = "[1, -2, 1.5, 1e3, true, False, null, ~, '1', \"true\", 0x10]"
    assert read_yaml(text).value == [
        1, -2, 1.5, 1000.0, True, False, None, None, "1", "true", "0x10",
    ]  # fmt: skip


def test_knows_the_line_of_every_field() -> None:
    document = read_yaml("a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n")
    lines = {"a": 1, "b": 2, "b[0]": 3, "b[1]": 4, "b[1].c": 4, "b[1].d": 5}
    assert {path: document.line_of(path) for path in lines} == lines


def test_a_missing_field_is_located_at_its_parent() -> None:
    document = read_yaml("a:\n  b: 1\n")
    assert document.locate(Problem("a.missing[3].deep", "missing")).line == 1
    assert Document({}).locate(Problem("a", "missing")).line is None


@pytest.mark.parametrize("path", ["a[", "a[x]", "[", "b[x].c", ""])
def test_a_path_of_any_form_is_located(path: str) -> None:
    document = Document({}, lambda: Place(1, {"b": Place(2)}))
    assert document.locate(Problem(path, "")).line in (1, 2)


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("a.b", ("a", "b")),
        ("workload.groups[0].algorithm", ("workload", "groups", 0, "algorithm")),
        ("a[1][22]", ("a", 1, 22)),
        ("a[", ("a[",)),
        ("a[01]", ("a[01]",)),
        ("[0]", ("[0]",)),
        ("", ("",)),
    ],
)
def test_splits_a_path_at_dots_and_indices(path: str, keys: tuple[str | int, ...]) -> None:
    assert split_path(path) == keys


def test_locates_problems_quickly_in_a_long_file() -> None:
    long = read_json('{"a": [' + ",\n".join(map(str, range(50_000))) + "]}")
    began = time.process_time()
    problems = [long.locate(Problem(f"a[{index}].b", "")) for index in range(50_000)]
    assert time.process_time() - began < 5
    assert [problem.line for problem in problems[:2]] == [1, 2]
    assert long.locate(Problem("x." * 500_000, "")).line == 1


def test_finds_a_duplicate_key_quickly() -> None:
    keys = [f'"{index}": 0' for index in range(50_000)]
    began = time.process_time()
    with pytest.raises(SpecError, match="49999: duplicate key"):
        read_json("{" + ", ".join([*keys, '"49999": 0']) + "}")
    assert time.process_time() - began < 5


def test_exponential_anchor_expansion_is_rejected() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
    )
    assert "more than 100000 values" in problem_of(bomb).message


@pytest.mark.parametrize(
    ("text", "expected", "line"),
    [
        ("a: [1, 2", "(column 9)", 1),
        ("a: b\nc: [1, 2\n\n", "(column 9)", 2),
        ("a: 1\nb: }", "(column 4)", 2),
        (
            "x: 1\nbaseline: {workload.groups[0].algorithm: cubic}",
            'inside {} quote a key that has brackets: "workload.groups[0].algorithm"',
            2,
        ),
        ("a: 1\na: 2\n", "duplicate key", 2),
        ("a: .nan", "is not a finite number", 1),
        ("a: -.inf", "is not a finite number", 1),
        ("a: !!python/object:os.system x", "unsupported YAML tag", 1),
        ("? [1, 2]\n: 3\n", "must be a string", 1),
        ("&a [*a]", "the alias *a is inside of what it stands for", 1),
        ("a: 1\nb: *a", "the alias *a has no anchor before it", 2),
        ("[\n" * 5000, "nested deeper than 40 levels", 42),
        ("a: !!int x", "unsupported YAML tag", 1),
        ("a: !!set {b}", "unsupported YAML tag", 1),
        ("a: 1\n---\nb: 2", "a second document begins here", 2),
        ("%YAML 1.2\n%TAG !a! b\n--- x", "remove it", 2),
        ("", "empty", None),
        ("\x00", "not YAML", None),
        (b"\xff\xfe\xfa", "not YAML", None),
    ],
)
def test_rejects_invalid_yaml(text: str | bytes, expected: str, line: int | None) -> None:
    problem = problem_of(text)
    assert expected in problem.message
    assert problem.line == line or line is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "not JSON"),
        ('{"a": NaN}', "NaN is not a finite number"),
        ('{"a": -Infinity}', "-Infinity is not a finite number"),
        ('{"a": 1, "a": 2}', "duplicate key"),
        ('{"a": "x\\u0000"}', "control character U+0000"),
        ('{"a": 1e999}', "too large to be finite"),
        (f'{{"a": {10**400}}}', "too large for an integer"),
        ("[" * 60 + "]" * 60, "nested deeper"),
        ('{"a": "\\ud800"}', "control character U+D800"),
        ("[" * 100_000, "nested deeper"),
    ],
)
def test_rejects_invalid_json(text: str, expected: str) -> None:
    assert expected in problem_of(text, read_json).message


def test_json_knows_the_line_of_every_field() -> None:
    text = """{
  "a": 1, "b": [
    "x, {", {"c": 2,
      "d\\u0065": {}}, [], [
        [1, 2]]
  ], "e":
    null
}"""
    document = read_json(text.encode())
    lines = {"": 1, "a": 2, "b": 2, "b[0]": 3, "b[1]": 3, "b[1].c": 3, "b[1].de": 4}
    lines |= {"b[2]": 4, "b[3]": 4, "b[3][0]": 5, "b[3][0][1]": 5, "e": 6}
    assert {path: document.line_of(path) for path in lines} == lines
    assert document.line_of("b[3][0][2]") is None
    assert document.locate(Problem("b[1].missing", "missing")).line == 3


def test_a_json_syntax_error_has_line_and_column() -> None:
    problem = problem_of('{"a": 1,\n "b" 2}', read_json)
    assert (problem.line, problem.message) == (2, "not JSON: Expecting ':' delimiter (column 6)")


def test_a_duplicate_json_key_has_its_line() -> None:
    problem = problem_of('{"a": {},\n "b": {"c": 1,\n "c": 2}}', read_json)
    assert (problem.path, problem.line) == ("b.c", 3)
