"""Docker's attach stream, image times, backoff, and the execution monitor."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.run import FailureReason
from windtunnel.simulator import Cancelled, ExecutionMonitor, ExitStatus, Failed, Limits
from windtunnel.simulator.execution import STDERR_BYTES
from windtunnel.spec.description import Description
from windtunnel_worker.docker_host import Frames, _signal_or_code, _tagged_at
from windtunnel_worker.docker_launcher import Backoff

BLOCKS = st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=12)


@given(blocks=BLOCKS, cuts=st.lists(st.integers(min_value=1, max_value=30), min_size=1))
def test_frames_are_parsed_independent_of_chunk_boundaries(
    blocks: list[tuple[int, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(
        bytes([kind, 0, 0, 0]) + len(block).to_bytes(4, "big") + block for kind, block in blocks
    )
    output, errors = bytearray(), bytearray()
    frames = Frames(output.extend, errors.extend)
    position = index = 0
    while position < len(stream):
        step = cuts[index % len(cuts)]
        frames.feed(stream[position : position + step])
        position, index = position + step, index + 1
    assert output == b"".join(block for kind, block in blocks if kind == 1)
    assert errors == b"".join(block for kind, block in blocks if kind == 2)


def test_signals_are_reported_as_128_plus_their_number() -> None:
    assert [_signal_or_code(code) for code in (0, 1, 128, 137, 139, 193, 255)] == [
        0, 1, 128, -9, -11, 193, 255,
    ]  # fmt: skip


def test_an_images_time_is_that_of_its_last_tag() -> None:
    created = "2026-03-01T10:00:00.123456789Z"
    tagged = {"Metadata": {"LastTagTime": "2026-05-02T11:00:00.5+00:00"}, "Created": created}
    assert _tagged_at(tagged) == datetime(2026, 5, 2, 11, tzinfo=UTC)
    never = {"Metadata": {"LastTagTime": "0001-01-01T00:00:00Z"}, "Created": created}
    assert _tagged_at(never) == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert _tagged_at({"Created": ""}) == datetime(1970, 1, 1, tzinfo=UTC)


def test_backoff_doubles_and_is_reset_by_success(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("windtunnel_worker.docker_launcher.time.monotonic", lambda: now[0])
    backoff = Backoff()
    lengths = []
    for _ in range(7):
        backoff.failed()
        begin = now[0]
        while backoff.active:
            now[0] += 0.5
        lengths.append(now[0] - begin)
    assert lengths == [2, 4, 8, 16, 32, 60, 60]
    backoff.reset()
    backoff.failed()
    now[0] += 2
    assert not backoff.active


def test_a_cancellation_is_permanent(tiny: Description) -> None:
    """The progress callback is called at most once a second; a False is remembered."""
    answers = iter([False, True])
    monitor = ExecutionMonitor(tiny, Limits(), lambda _: next(answers))
    monitor.tick(0)
    monitor.tick(0.1)
    assert monitor.should_stop
    assert isinstance(monitor.outcome(ExitStatus(-9), 0.2), Cancelled)


def test_the_end_of_stderr_is_kept_independent_of_chunk_boundaries(tiny: Description) -> None:
    monitor = ExecutionMonitor(tiny, Limits(), lambda _: True)
    stderr = bytes(ord("a") + index % 26 for index in range(5 * STDERR_BYTES))
    for index in range(0, len(stderr), 7):
        monitor.on_stderr(stderr[index : index + 7])
    outcome = monitor.outcome(ExitStatus(3), 1)
    assert isinstance(outcome, Failed)
    assert outcome.reason == FailureReason.SIM_CRASHED
    assert outcome.stderr == stderr[-STDERR_BYTES:].decode()


def progress_line(simulated_ns: int) -> bytes:
    record = {"type": "progress", "simulated_ns": simulated_ns, "duration_ns": 100, "events": 1}
    return json.dumps(record).encode() + b"\n"


def test_a_run_without_simulated_progress_stalls(tiny: Description) -> None:
    """Progress records that repeat the same simulated time do not count."""
    monitor = ExecutionMonitor(tiny, Limits(stall_seconds=5), lambda _: True)
    monitor.on_stdout(b'{"type":"started","schedule":"s","configuration":{}}\n')
    for second in range(1, 5):
        monitor.tick(second)
        monitor.on_stdout(progress_line(10 * second))
    for second in range(5, 9):
        monitor.tick(second)
        monitor.on_stdout(progress_line(40))
        assert not monitor.should_stop
    monitor.tick(9.5)
    outcome = monitor.outcome(ExitStatus(-9), 9.5)
    assert isinstance(outcome, Failed)
    assert outcome.reason == FailureReason.STALLED
    assert outcome.message.startswith("no simulated progress for 5 s of wall-clock time, at 4e-08")


TERMINATED = "terminate called without an active exception"
ASSERTION = 'NS_ASSERT failed, cond="w > 0", +0.082145964s 0 file=extra/tcp_third.cc, line=43'


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (f"{ASSERTION}\nNS_FATAL, terminating\n{TERMINATED}\n", ASSERTION),  # as ns-3.44 has it
        ("terminate called after throwing an 'A'\n  what():  no B\n", "what():  no B"),
        (f"{TERMINATED}\n", TERMINATED),
    ],
)
def test_the_message_of_a_crash_is_the_last_line_that_gives_a_reason(
    tiny: Description, stderr: str, reason: str
) -> None:
    monitor = ExecutionMonitor(tiny, Limits(), lambda _: True)
    monitor.on_stderr(stderr.encode())
    outcome = monitor.outcome(ExitStatus(-6), 1.0)
    assert isinstance(outcome, Failed)
    assert outcome.message == f"the simulator exited with SIGABRT: {reason}"


def test_a_crash_without_output_names_the_signal(tiny: Description) -> None:
    outcome = ExecutionMonitor(tiny, Limits(), lambda _: True).outcome(ExitStatus(-11), 1.0)
    assert isinstance(outcome, Failed)
    assert outcome.message == "the simulator exited with SIGSEGV"
