"""The sim image contract, checked on the real simulator and on the tiny one."""

from __future__ import annotations

import hashlib
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FAT_TREE, TINY, resolve
from windtunnel.errors import ContractError
from windtunnel.result import PacketDelay, RunResult, first_difference
from windtunnel.run import FailureReason
from windtunnel.simulator import (
    Cancelled,
    Failed,
    Limits,
    Lost,
    Outcome,
    ProcessLauncher,
    StreamReader,
    Succeeded,
    describe,
)
from windtunnel.spec.description import Description

SCENARIOS: dict[str, dict[str, Any]] = {
    "tiny": {"duration": "5ms"},
    "ns3": {**FAT_TREE, "algorithm": "cubic", "duration": "100ms"},
}


@pytest.fixture(params=["tiny", "ns3"])
def program(request: pytest.FixtureRequest, ns3_program: Path) -> Path:
    return TINY if request.param == "tiny" else ns3_program


def spec_of(description: Description, seed_index: int = 1, **changes: Any) -> dict[str, Any]:
    scenario, problems = resolve(description, {**SCENARIOS[description.name], **changes})
    assert problems == []
    return {"simulator": description.name, "seed_index": seed_index, "scenario": scenario}


def delays(delay_ns: Any, packets: Any) -> dict[str, Any]:
    return {"type": "packet_delay", "delay_ns": delay_ns, "packets": packets}


def launch(program: Path, spec: dict[str, Any], **limits: Any) -> Outcome:
    return ProcessLauncher([str(program)], describe([str(program)])).run(spec, Limits(**limits))


def result_of(program: Path, spec: dict[str, Any]) -> RunResult:
    outcome = launch(program, spec)
    assert isinstance(outcome, Succeeded), outcome
    return outcome.result


def test_describe_is_valid_and_stable(program: Path) -> None:
    assert describe([str(program)]) == describe([str(program)])


def test_a_run_gives_metrics_that_describe_names(program: Path) -> None:
    description = describe([str(program)])
    result = result_of(program, spec_of(description))
    assert {metric.name for metric in result.metrics} <= {m.name for m in description.metrics}
    assert result.checks
    assert not result.broken_checks
    assert len(result.record_digests) == 32 * len(result.record_labels)


def test_the_same_run_twice_gives_the_same_bytes(program: Path) -> None:
    spec = spec_of(describe([str(program)]))
    first, second = result_of(program, spec), result_of(program, spec)
    assert first.digest == second.digest
    assert first_difference(first.record_digests, second) is None


def test_another_seed_gives_other_bytes_and_the_first_difference_is_named(program: Path) -> None:
    description = describe([str(program)])
    first = result_of(program, spec_of(description))
    other = result_of(program, spec_of(description, seed_index=2))
    assert first.digest != other.digest
    assert first_difference(first.record_digests, other) == "record 1: started"


def test_unknown_arguments_are_a_usage_error(ns3_program: Path) -> None:
    done = subprocess.run([ns3_program, "--fast"], capture_output=True, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("misbehave", "reason", "expected"),
    [
        ("crash", FailureReason.SIM_CRASHED, "the model exploded at step 17"),
        ("flood", FailureReason.INVALID_RESULT, "the output exceeds"),
        ("garbage", FailureReason.INVALID_RESULT, "line 2 of the record stream: not JSON"),
        ("silent", FailureReason.INVALID_RESULT, "without a 'finished' record"),
        ("wrong-digest", FailureReason.INVALID_RESULT, "the records give"),
        ("broken-check", FailureReason.INVARIANT_BROKEN, "sum: 1 + 1 = 2"),
    ],
)
def test_each_misbehaviour_has_its_own_reason(
    tiny: Description, misbehave: str, reason: FailureReason, expected: str
) -> None:
    spec = spec_of(tiny, misbehave=misbehave)
    outcome = launch(TINY, spec, output_bytes=200_000, wall_seconds=20)
    assert isinstance(outcome, Failed)
    assert outcome.reason == reason
    assert expected in outcome.message


def test_a_hanging_simulator_is_killed(tiny: Description) -> None:
    begin = time.monotonic()
    outcome = launch(TINY, spec_of(tiny, misbehave="hang"), wall_seconds=1)
    assert isinstance(outcome, Failed)
    assert outcome.reason == FailureReason.TIMED_OUT
    assert time.monotonic() - begin < 10


def test_a_simulator_that_exceeds_its_memory_is_killed(tiny: Description) -> None:
    outcome = launch(TINY, spec_of(tiny, misbehave="eat"), memory_bytes=200 * 2**20)
    assert isinstance(outcome, Failed)
    assert outcome.reason == FailureReason.OUT_OF_MEMORY
    assert "200 MiB" in outcome.message


def test_a_simulator_killed_from_outside_is_lost_not_failed(tiny: Description) -> None:
    outcome = launch(TINY, spec_of(tiny, misbehave="kill-self"))
    assert isinstance(outcome, Lost)


def test_the_progress_callback_can_cancel_a_run(tiny: Description) -> None:
    launcher = ProcessLauncher([str(TINY)], tiny)
    outcome = launcher.run(spec_of(tiny, misbehave="hang"), Limits(), on_progress=lambda _: False)
    assert isinstance(outcome, Cancelled)


def test_a_spec_larger_than_a_pipe_is_read(tiny: Description) -> None:
    spec = spec_of(tiny) | {"padding": "x" * 2**20}
    assert isinstance(launch(TINY, spec), Succeeded)


def test_a_missing_program_fails_as_image_missing(tiny: Description) -> None:
    outcome = ProcessLauncher(["/nonexistent"], tiny).run(spec_of(tiny), Limits())
    assert isinstance(outcome, Failed)
    assert outcome.reason == FailureReason.IMAGE_MISSING


class TestReader:
    """Records that the stream reader rejects."""

    def feed(self, description: Description, *records: Any) -> StreamReader:
        reader = StreamReader(description)
        for record in records:
            reader.feed(
                record
                if isinstance(record, bytes)
                else json.dumps(record, separators=(",", ":")).encode()
            )
        return reader

    START = {"type": "started", "schedule": "", "configuration": {}}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("record", "expected"),
        [
            (b"{", "not JSON"),
            (b"\xff", "not JSON"),
            (b"[]", "an object with a 'type'"),
            (b'{"type":"metric","name":"value","value":NaN}', "not JSON"),
            ({"type": "surprise"}, "unknown record type 'surprise'"),
            ({"type": "metric", "name": "speed", "value": 1}, "not in the simulator's description"),
            ({"type": "metric", "name": "value", "value": "1"}, "invalid 'metric' record"),
            ({"type": "metric", "name": "value"}, "invalid 'metric' record"),
            ({"type": "metric", "name": "value", "value": 1e200}, "value must not exceed 1e.150"),
            ({"type": "progress", "simulated_ns": 1.5}, "invalid 'progress' record"),
            ({"type": "series", "name": "s", "values": ["x"]}, "invalid 'series' record"),
            ({"type": "check", "name": "c", "held": 1, "detail": ""}, "invalid 'check' record"),
            (START, "duplicate 'started'"),
            (b'{"type":"flow","flow":0,"bytes":1e999}', "not JSON"),
            (b'{"type":"flow","flow":0,"bytes":99999999999999999999}', "not JSON"),
            (b'{"type":"flow","flow":0,"name":"\\u0000"}', "a NUL character"),
            (b'{"type":"flow","name":"\\ud800"}', "a lone surrogate .*d800"),
            (b'{"type":"flow","name":"\xed\xa0\x80"}', "not JSON"),
            ('{"type":"flow"}'.encode("utf-16"), "not JSON"),
            (b'{"type":"flow","x":' + b"[" * 32 + b"]" * 32 + b"}", "nested more than 32"),
            ({"type": "check", "name": "", "held": True, "detail": ""}, "1 to 500 characters"),
            ({"type": "check", "name": 5, "held": True, "detail": ""}, "1 to 500 characters"),
            ({"type": "flow", **{f"f{i}": 0 for i in range(256)}}, "at most 256 fields"),
            ({"type": "packet_delay", "delay_ns": [1]}, "invalid 'packet_delay' record"),
            (delays([1, 2], [3]), "2 values of delay_ns, but 1 of packets"),
            (delays(1, [3]), "delay_ns and packets must be lists"),
            (delays([5, 5], [1, 1]), "delay_ns must increase, but 5 follows 5"),
            (delays([-1], [1]), "-1 is not a non-negative whole number"),
            (delays([1.5], [1]), "1.5 is not a non-negative whole number"),
            (delays([7], [0]), "packets must be positive, but no packet has delay_ns 7"),
            (delays([7], [True]), "True is not a non-negative whole number"),
            (delays(list(range(4097)), [1] * 4097), "4097 delays, at most 4096 are allowed"),
            (
                {"type": "progress", "simulated_ns": 0, "duration_ns": 1, "events": -1},
                "-1 is not a non-negative whole number",
            ),
        ],
    )
    def test_refuses(self, tiny: Description, record: Any, expected: str) -> None:
        with pytest.raises(ContractError, match=f"line 2.*{expected}"):
            self.feed(tiny, self.START, record)

    def test_started_is_first_and_finished_is_last(self, tiny: Description) -> None:
        metric = {"type": "metric", "name": "value", "value": 1}
        with pytest.raises(ContractError, match="before 'started'"):
            self.feed(tiny, metric)
        start = json.dumps(self.START).encode()
        digest = hashlib.sha256(hashlib.sha256(start).digest()).hexdigest()
        finished = {"type": "finished", "events": 1, "digest": digest}
        assert self.feed(tiny, start, finished).result is not None
        with pytest.raises(ContractError, match="after 'finished'"):
            self.feed(tiny, start, finished, metric)

    @pytest.mark.parametrize("name", [b"\\ud83d\\ude00", b"\\\\ud800", "\U0001f600".encode()])
    def test_accepts_escapes_of_characters(self, tiny: Description, name: bytes) -> None:
        """A pair of surrogates is a character; an escaped backslash begins no escape."""
        self.feed(tiny, self.START, b'{"type":"flow","name":"' + name + b'"}')

    def test_negative_events_are_rejected(self, tiny: Description) -> None:
        start = json.dumps(self.START).encode()
        digest = hashlib.sha256(hashlib.sha256(start).digest()).hexdigest()
        with pytest.raises(ContractError, match="-1 is not a non-negative whole number"):
            self.feed(tiny, start, {"type": "finished", "events": -1, "digest": digest})

    def test_duplicate_checks_are_rejected(self, tiny: Description) -> None:
        check = {"type": "check", "name": "c", "held": True, "detail": ""}
        with pytest.raises(ContractError, match="duplicate check 'c'"):
            self.feed(tiny, self.START, check, check)

    def test_packet_delays_are_read(self, tiny: Description) -> None:
        start = json.dumps(self.START).encode()
        record = json.dumps(delays([0, 1023, 2**62], [1, 5, 2])).encode()
        digests = b"".join(hashlib.sha256(line).digest() for line in (start, record))
        finished = {"type": "finished", "events": 0, "digest": hashlib.sha256(digests).hexdigest()}
        result = self.feed(tiny, start, record, finished).result
        assert result is not None
        assert result.packet_delays == (
            PacketDelay(0, 1), PacketDelay(1023, 5), PacketDelay(2**62, 2),
        )  # fmt: skip
        assert result.record_labels == ("started", "packet_delay")
        with pytest.raises(ContractError, match="duplicate 'packet_delay'"):
            self.feed(tiny, start, record, record)

    def test_metadata_is_not_part_of_the_digest(self, tiny: Description) -> None:
        def digest(metadata: dict[str, Any]) -> bytes:
            reader = self.feed(tiny, {**self.START, "metadata": metadata})
            return bytes(reader._digests)

        assert digest({"host": "a"}) == digest({"host": "b"})

    def test_chunks_of_a_series_must_follow_one_another(self, tiny: Description) -> None:
        chunk = {"type": "series", "name": "s", "unit": "", "first_ns": 0, "step_ns": 10}
        start = json.dumps(self.START).encode()
        first = json.dumps({**chunk, "values": [1, 2]}).encode()
        gap = json.dumps({**chunk, "first_ns": 30, "values": [3]}).encode()
        digests = b"".join(hashlib.sha256(line).digest() for line in (start, first, gap))
        finished = {"type": "finished", "events": 0, "digest": hashlib.sha256(digests).hexdigest()}
        with pytest.raises(ContractError, match="are not contiguous"):
            self.feed(tiny, start, first, gap, finished)
