"""Evaluated gates for CI: JUnit XML, Markdown, annotations and the step summary of GitHub."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET  # only written, never parsed

from rich.console import Console

from windtunnel.cli.gate_text import (
    PASSING,
    WORDS,
    conclusion,
    figures,
    results,
    subject,
)

_MAX_ANNOTATIONS = 10  # GitHub shows no more of a step

Json = Mapping[str, Any]


def junit(report: Json, campaign: str) -> str:
    """JUnit XML: a test case for each cell of each gate."""
    cases = [_test_case(result, cell, campaign) for result, cell in results(report)]
    failures = sum(case.find("failure") is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures)}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": campaign, **counts})
    suite.extend(cases)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _test_case(result: Json, cell: Json, campaign: str) -> ET.Element:
    name = f"{subject(result, cell)}: {result['gate']['require']}"
    case = ET.Element("testcase", {"classname": campaign, "name": name})
    text = f"{WORDS[cell['outcome']]}: {figures(result, cell)}"
    if blocks(result, cell):
        failure = {"message": figures(result, cell), "type": cell["outcome"]}
        ET.SubElement(case, "failure", failure).text = text
    else:
        ET.SubElement(case, "system-out").text = text
    return case


def blocks(result: Json, cell: Json) -> bool:
    """Whether a cell keeps its gate from passing."""
    return result["status"] not in PASSING and cell["outcome"] != "passed"


def markdown(report: Json, campaign: str) -> str:
    """A table with a row for each cell of each gate, and the conclusion."""
    rows = [
        (WORDS[cell["outcome"]], result["gate"]["metric"], _where(result, cell),
         result["gate"]["require"], figures(result, cell))
        for result, cell in results(report)
    ]  # fmt: skip
    lines = [
        f"### Gates of {_escaped(campaign)}",
        "",
        "| | metric | cell | require | result |",
        "|---|---|---|---|---|",
        *("| " + " | ".join(map(_escaped, row)) + " |" for row in rows),
        "",
        *(f"    {line.strip()}" if line.startswith("  ") else f"{_escaped(line)}\n"
          for line in conclusion(report).splitlines()),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _where(result: Json, cell: Json) -> str:
    return subject(result, cell).partition("  ")[2]


def _escaped(text: str) -> str:
    for character in "\\`*_[]<>|":
        text = text.replace(character, f"\\{character}")
    return text


def annotate(report: Json, out: Console) -> None:
    """Under GitHub Actions: annotations, and the Markdown in the step's summary."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    shown = 0
    for result, cell in results(report):
        level = "error" if blocks(result, cell) else "warning"
        if cell["outcome"] == "passed" or result["status"] == "passed":
            continue
        if shown < _MAX_ANNOTATIONS:
            title = _property(f"gate {WORDS[cell['outcome']]}")
            message = _data(f"{subject(result, cell)}: {figures(result, cell)}")
            out.print(f"::{level} title={title}::{message}", markup=False, soft_wrap=True)
        shown += 1


def append_summary(report: Json, campaign: str) -> None:
    """Append the Markdown to the summary of the step, if GitHub Actions wants one."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target and os.environ.get("GITHUB_ACTIONS") == "true":
        with Path(target).open("a", encoding="utf-8") as summary:
            summary.write(markdown(report, campaign))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
