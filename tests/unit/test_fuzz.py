"""Fuzzed campaign files and record streams: readers answer or refuse, and nothing else.

A few seconds here; ``make fuzz`` takes ten minutes for each reader, guided by the number of lines
of this project that an example reaches (FUZZ_SECONDS).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings, target
from hypothesis import strategies as st

import windtunnel
from tests.conftest import TINY, resolve, tiny_campaign
from windtunnel.errors import ContractError, Problem, SpecError
from windtunnel.plan import make_plan
from windtunnel.simulator import StreamReader, describe
from windtunnel.spec import Document, read_campaign, read_json, read_yaml
from windtunnel.spec.description import Description

SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
FUZZED = settings(
    max_examples=3000 if SECONDS else 150,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
_SOURCES = str(Path(windtunnel.__file__).parent)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["1ms", "10p", "tiny", "newest", "x\n", "\x1b[31m", "kind", "label", "a.b[0]"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.text(max_size=8), st.sampled_from(["label", "kind", "simulator"])),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@st.composite
def campaigns(draw: st.DrawFn) -> Any:
    """A valid campaign with some of its values, or new fields, replaced by anything."""
    campaign: Any = tiny_campaign(
        sweep={"offset": [1, 2], "x": [{"label": "a", "modulus": 3}]},
        replications=2,
        baseline={"offset": 1},
        misbehave="no",
    )
    for _ in range(draw(st.integers(1, 3))):
        place = campaign
        while True:
            names = list(place) if isinstance(place, dict) else list(range(len(place)))
            name = draw(st.sampled_from(names)) if names else ""
            inner = place[name] if names else None
            if not isinstance(inner, dict | list) or draw(st.booleans()):
                break
            place = inner
        if isinstance(place, dict) and draw(st.booleans()):
            name = draw(st.sampled_from(["limits", "series", "sweep", "label", "x[0].y"]))
        if names or isinstance(place, dict):
            place[name] = draw(values)
    return campaign


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A campaign file with some bytes removed, repeated or replaced."""
    campaign = draw(campaigns())
    if draw(st.booleans()):
        text = json.dumps(campaign).encode(errors="replace")
    else:
        text = yaml.safe_dump(campaign).encode(errors="replace")
    return _damaged(draw, text)


def _damaged(draw: st.DrawFn, text: bytes) -> bytes:
    for _ in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 12)))
        inserted = draw(
            st.one_of(
                st.binary(max_size=6),
                st.just(text[begin:end] * 3),
                st.sampled_from([b"&a ", b"*a", b"[", b"{", b"\n- ", b"!!int ", b": ", b"---\n"]),
            )
        )
        text = text[:begin] + inserted + text[end:]
    return text


@cache
def tiny_description() -> Description:
    return describe([str(TINY)])


@cache
def records() -> list[bytes]:
    """The records of a real run."""
    scenario, _ = resolve(tiny_description(), {"duration": "3ms"})
    spec = {"simulator": "tiny", "seed_index": 1, "scenario": scenario}
    done = subprocess.run(
        [sys.executable, TINY], input=json.dumps(spec).encode(), capture_output=True, check=True
    )
    return done.stdout.splitlines()


@st.composite
def streams(draw: st.DrawFn) -> list[bytes]:
    """The records of a real run, some of them damaged, lost, repeated or with other values."""
    lines = list(records())
    for _ in range(draw(st.integers(1, 3))):
        index = draw(st.integers(0, len(lines) - 1))
        change = draw(st.integers(0, 3))
        if change == 0:
            lines[index] = _damaged(draw, lines[index])
        elif change == 1:
            lines.insert(index, lines[draw(st.integers(0, len(lines) - 1))])
        elif change == 2 and len(lines) > 1:
            del lines[index]
        else:
            lines[index] = _with_value(draw, lines[index])
    return lines


def _with_value(draw: st.DrawFn, line: bytes) -> bytes:
    try:
        record = json.loads(line)
    except ValueError:
        return line
    if not isinstance(record, dict) or not record:
        return line
    record[draw(st.sampled_from(list(record)))] = draw(values)
    return json.dumps(record).encode(errors="replace")


def fuzzed(
    strategy: st.SearchStrategy[Any],
) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """A test of examples, in a long run of those that reach many lines, until the time is over."""

    def decorate(check: Callable[[Any], None]) -> Callable[[], None]:
        @FUZZED
        @given(strategy)
        def examples(example: Any) -> None:
            if SECONDS:
                target(float(_lines_reached(check, example)))
            else:
                check(example)

        def test() -> None:
            until = time.monotonic() + SECONDS
            examples()
            while time.monotonic() < until:
                examples()

        return test

    return decorate


def _lines_reached(check: Callable[[Any], None], example: Any) -> int:
    reached: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_SOURCES):
            return None
        if event == "line":
            reached.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        check(example)
    finally:
        sys.settrace(before)
    return len(reached)


def problems_of(work: Callable[[], object]) -> Sequence[Problem]:
    """The problems of a refusal; none without one."""
    try:
        work()
    except SpecError as error:
        return error.problems
    return []


def plan(document: Document) -> None:
    description = tiny_description()
    campaign = read_campaign(document)
    chosen = dict.fromkeys(campaign.simulators(), description)
    for _ in make_plan(campaign, chosen, document).runs():
        pass


@fuzzed(campaigns())
def test_any_campaign_is_planned_or_refused(campaign: Any) -> None:
    problems = problems_of(lambda: plan(Document(campaign)))
    assert all(problem.message for problem in problems)


@fuzzed(texts())
def test_any_file_is_planned_or_refused(text: bytes) -> None:
    last = len(text.splitlines()) + 1
    for read in (read_json, read_yaml):
        problems = problems_of(lambda read=read: plan(read(text)))  # type: ignore[misc]
        assert all(1 <= (problem.line or 1) <= last for problem in problems)


@fuzzed(streams())
def test_any_record_stream_is_read_or_refused(lines: list[bytes]) -> None:
    reader = StreamReader(tiny_description())
    with suppress(ContractError):
        for line in lines:
            reader.feed(line)
