#!/usr/bin/env python3
"""A simulator that misbehaves in one of many ways; standard library only.

Its scenario's field `misbehave` says in which; `EXPECTED` says how each run has to end.
"""

import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECOND_NS = 10**9
_LONG_S = 600

digests = hashlib.sha256()


def emit(record: dict[str, Any]) -> None:
    """Print a deterministic record."""
    write(json.dumps(record).encode())


def write(line: bytes) -> None:
    """Print a line that counts as a deterministic record."""
    digests.update(hashlib.sha256(line).digest())
    print_bytes(line + b"\n")


def print_bytes(text: bytes) -> None:
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def start(**fields: Any) -> None:
    emit({"type": "started", "schedule": "0" * 64, "configuration": {}, **fields})


def progress(simulated_ns: int, events: int = 0) -> None:
    record = {"type": "progress", "simulated_ns": simulated_ns, "duration_ns": SECOND_NS}
    print_bytes(json.dumps({**record, "events": events}).encode() + b"\n")


def metric(value: object = 1) -> None:
    emit({"type": "metric", "name": "value", "unit": "", "value": value})


def finish(events: int = 1, digest: str | None = None, **fields: Any) -> None:
    digest = digest or digests.hexdigest()
    record = {"type": "finished", "events": events, "digest": digest, "metadata": {}, **fields}
    print_bytes(json.dumps(record).encode() + b"\n")


def print_one(record: dict[str, Any]) -> Callable[[], None]:
    """A run that prints this record, and is complete otherwise."""

    def run() -> None:
        start()
        emit(record)
        finish()

    return run


def print_line(line: bytes) -> Callable[[], None]:
    def run() -> None:
        start()
        write(line)
        finish()

    return run


def close_pipes() -> None:
    start()
    os.close(1)
    os.close(2)
    time.sleep(_LONG_S)


def close_pipes_and_exit() -> None:
    start()
    os.close(1)
    os.close(2)
    time.sleep(0.5)
    os._exit(0)


def hang() -> None:
    start()
    time.sleep(_LONG_S)


def stop_itself() -> None:
    start()
    os.kill(os.getpid(), signal.SIGSTOP)


def ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    hang()


def stand_still() -> None:
    """Busy and talkative, but simulated time does not advance."""
    start()
    while True:
        progress(5)
        time.sleep(0.05)


def flood() -> None:
    """In large records, which are read fast."""
    start()
    record = {"type": "progress", "simulated_ns": 0, "duration_ns": 1, "events": 0}
    while True:
        print_bytes(json.dumps({**record, "padding": "x" * 2**16}).encode() + b"\n")


def flood_one_line() -> None:
    start()
    while True:
        print_bytes(b"x" * 2**20)


def flood_stderr() -> None:
    start()
    while True:
        os.write(2, b"x" * 2**16)


def eat_memory() -> None:
    start()
    hoard = []
    while True:
        hoard.append(b"x" * 2**24)


def fork(child: Callable[[], None]) -> None:
    if os.fork() == 0:
        child()
        os._exit(0)


def sleep_in_a_session() -> None:
    os.setsid()
    time.sleep(_LONG_S)


def leave_a_session() -> None:
    """Complete, but a child in a session of its own keeps running, with the pipes open."""
    start()
    fork(sleep_in_a_session)
    metric()
    finish()


def leave_daemons() -> None:
    """Complete, but orphans keep running: their parents exited at once, their pipes are closed."""

    def daemon() -> None:
        os.setsid()
        os.close(1)
        os.close(2)
        fork(sleep_in_a_session)

    start()
    for _ in range(5):
        fork(daemon)
    time.sleep(0.2)
    metric()
    finish()


def crash_with_a_session() -> None:
    fork(sleep_in_a_session)
    start()
    sys.exit("the parent crashed")


def hang_with_a_session() -> None:
    fork(sleep_in_a_session)
    hang()


def do_nothing() -> None:
    """Exit 0 without any output, and without reading the spec."""


def omit_finished() -> None:
    start()
    metric()


def truncate() -> None:
    start()
    metric()
    print_bytes(b'{"type":"finished","events":1,"dig')


def begin_without_started() -> None:
    metric()


def start_twice() -> None:
    start()
    start()


def repeat_metric() -> None:
    start()
    metric()
    metric()


def report_wrong_digest() -> None:
    start()
    finish(digest="0" * 64)


def report_negative_events() -> None:
    start()
    finish(events=-1)


def report_negative_progress() -> None:
    start()
    progress(-1)
    finish()


def continue_after_finished() -> None:
    start()
    finish()
    metric()


def put_surrogates_into_metadata() -> None:
    start()
    finish(metadata={"host": "\ud800"})


def break_a_check_at_length() -> None:
    start()
    emit({"type": "check", "name": "sum", "held": False, "detail": "x" * 2**20})
    finish()


def exit_with_3() -> None:
    start()
    metric()
    finish()
    sys.exit(3)


def fail_by_signal() -> None:
    start()
    os.kill(os.getpid(), signal.SIGSEGV)


def print_most_fields() -> None:
    start()
    for index in range(300):
        emit({"type": "flow", "flow": index, f"field{index}": 1})
    finish()


def metric_record(**fields: Any) -> dict[str, Any]:
    return {"type": "metric", "name": "value", "unit": "", "value": 1, **fields}


def check_record(**fields: Any) -> dict[str, Any]:
    return {"type": "check", "name": "sum", "held": True, "detail": "", **fields}


def series_record(**fields: Any) -> dict[str, Any]:
    series = {"type": "series", "name": "s", "unit": "", "first_ns": 0, "step_ns": 1}
    return {**series, "values": [1.0], **fields}


_SURROGATE = "lone surrogate"
_NO_END = "without a 'finished' record"
_STALLED = "no simulated progress"
_NEGATIVE = "not a non-negative whole number"

# By name: what the program does, the reason of the failure (or succeeded), and part of its message.
CASES: dict[str, tuple[Callable[[], None], str, str]] = {
    "closes both pipes": (close_pipes, "stalled", _STALLED),
    "closes both pipes and exits": (close_pipes_and_exit, "invalid_result", _NO_END),
    "hangs": (hang, "stalled", _STALLED),
    "stops itself": (stop_itself, "stalled", _STALLED),
    "ignores signals": (ignore_signals, "stalled", _STALLED),
    "stands still": (stand_still, "stalled", _STALLED),
    "endless output": (flood, "invalid_result", "exceeds"),
    "endless line": (flood_one_line, "invalid_result", "exceeds"),
    "endless stderr": (flood_stderr, "stalled", _STALLED),
    "endless memory": (eat_memory, "out_of_memory", "exceeded the memory limit"),
    "leaves a session": (leave_a_session, "succeeded", ""),
    "leaves daemons": (leave_daemons, "succeeded", ""),
    "crashes, leaves a session": (crash_with_a_session, "sim_crashed", "the parent crashed"),
    "hangs with a session": (hang_with_a_session, "stalled", _STALLED),
    "does nothing": (do_nothing, "invalid_result", _NO_END),
    "no finished record": (omit_finished, "invalid_result", _NO_END),
    "truncated record": (truncate, "invalid_result", _NO_END),
    "no started record": (begin_without_started, "invalid_result", "before 'started'"),
    "starts twice": (start_twice, "invalid_result", "duplicate 'started'"),
    "repeats a metric": (repeat_metric, "invalid_result", "duplicate metric"),
    "wrong digest": (report_wrong_digest, "invalid_result", "the records give"),
    "negative events": (report_negative_events, "invalid_result", _NEGATIVE),
    "negative progress": (report_negative_progress, "invalid_result", _NEGATIVE),
    "goes on after finished": (continue_after_finished, "invalid_result", "after 'finished'"),
    "exits with 3": (exit_with_3, "sim_crashed", "exit code 3"),
    "segmentation fault": (fail_by_signal, "sim_crashed", "SIGSEGV"),
    "long broken check": (break_a_check_at_length, "invariant_broken", "sum: xxx"),
    "too many fields": (print_most_fields, "invalid_result", "more than 256 fields"),
    "junk": (print_line(b"\x00\xffjunk"), "invalid_result", "not JSON"),
    "UTF-16": (print_line('{"type":"flow"}'.encode("utf-16")), "invalid_result", "not JSON"),
    "not an object": (print_line(b"[]"), "invalid_result", "an object with a 'type'"),
    "not a number": (print_one(metric_record(value=float("nan"))), "invalid_result", "not JSON"),
    "infinity": (print_line(b'{"type":"flow","x":1e999}'), "invalid_result", "not JSON"),
    "huge integer": (print_one({"type": "flow", "x": 2**70}), "invalid_result", "not JSON"),
    "unknown record": (print_one({"type": "surprise"}), "invalid_result", "unknown record type"),
    "unknown metric": (print_one(metric_record(name="speed")), "invalid_result", "description"),
    "NUL": (print_one(check_record(detail="\0")), "invalid_result", "NUL"),
    "surrogate in a check's name": (
        print_one(check_record(name="\ud800")),
        "invalid_result",
        _SURROGATE,
    ),
    "surrogate in a check's detail": (
        print_one(check_record(detail="\udfff")),
        "invalid_result",
        _SURROGATE,
    ),
    "surrogate in a label": (
        print_one(metric_record(name="value:\ud800")),
        "invalid_result",
        _SURROGATE,
    ),
    "surrogate in a series' name": (
        print_one(series_record(name="\ud800")),
        "invalid_result",
        _SURROGATE,
    ),
    "surrogate in a flow": (
        print_one({"type": "flow", "name": "\ud800"}),
        "invalid_result",
        _SURROGATE,
    ),
    "surrogate in a field's name": (
        print_one({"type": "port", "\udc00": 1}),
        "invalid_result",
        _SURROGATE,
    ),
    "surrogate in metadata": (put_surrogates_into_metadata, "invalid_result", _SURROGATE),
    "surrogate in bytes": (
        print_line('{"type":"flow","name":"\ud800"}'.encode(errors="surrogatepass")),
        "invalid_result",
        "not JSON",
    ),
    "deeply nested": (
        print_line(b'{"type":"flow","x":' + b"[" * 500 + b"]" * 500 + b"}"),
        "invalid_result",
        "nested more than 32 deep",
    ),
    "long name": (print_one(check_record(name="x" * 10**4)), "invalid_result", "500 characters"),
    "late series": (
        print_one(series_record(first_ns=2**63 - 1, values=[1.0, 2.0])),
        "invalid_result",
        "the largest time",
    ),
    "largest values": (print_one(series_record(values=[3e38] * 5)), "succeeded", ""),
}
EXPECTED = {name: (reason, message) for name, (_, reason, message) in CASES.items()}


def describe() -> None:
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    value = {"name": "value", "unit": "", "direction": "higher", "definition": "The value."}
    misbehave = {"enum": list(CASES), "default": "hangs"}
    scenario = {"type": "object", "additionalProperties": False}
    description = {
        "contract": 2,
        "name": "misbehaving",
        "title": "A simulator that misbehaves",
        "metrics": [value],
        "engine": {"name": "python", "version": "3"},
        "digest": digest,
        "scenario": {**scenario, "properties": {"misbehave": misbehave}},
        "cost": {"events": "1.0", "simulated_seconds": "1.0", "events_per_second": 1},
    }
    print(json.dumps(description))


def run() -> None:
    misbehave = json.load(sys.stdin)["scenario"]["misbehave"]
    CASES[misbehave][0]()


if __name__ == "__main__":
    describe() if sys.argv[1:] == ["describe"] else run()
