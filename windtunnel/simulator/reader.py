"""Parser of a simulator's record stream, NDJSON (docs/sim-image-contract.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from windtunnel.errors import ContractError
from windtunnel.result import Check, MetricValue, PacketDelay, RunResult, Series
from windtunnel.simulator.record_line import MAX_FIELDS, parse_record
from windtunnel.spec.description import Description

MAX_LINE_BYTES = 4 * 2**20
MAX_STREAM_BYTES = 2**30
MAX_NAME_CHARACTERS = 500
MAX_PACKET_DELAYS = 4096
_MAX_MESSAGE_CHARACTERS = 1000
_MAX_METRIC = 1e150  # keeps means and variances finite
_METADATA = b',"metadata":'


@dataclass(frozen=True)
class Progress:
    """Progress of a run: simulated time and duration in nanoseconds, events so far."""

    simulated_ns: int
    duration_ns: int
    events: int


class StreamReader:
    """Parses a run's output line by line; ``result`` is set after the ``finished`` record.

    Every deterministic record is hashed up to ``,"metadata":``; the digest in ``finished`` must be
    the SHA-256 of these hashes. Raises ContractError at the first line that violates the contract.
    """

    def __init__(self, description: Description) -> None:
        self._description = description
        self._started: Mapping[str, Any] | None = None
        self._metrics: dict[str, MetricValue] = {}
        self._chunks: dict[str, list[tuple[Mapping[str, Any], NDArray[np.float32]]]] = {}
        self._packet_delays: tuple[PacketDelay, ...] | None = None
        self._records: dict[str, list[Mapping[str, Any]]] = {"flow": [], "port": []}
        self._field_names: dict[str, set[str]] = {"flow": set(), "port": set()}
        self._checks: dict[str, Check] = {}
        self._digests = bytearray()
        self._labels: list[str] = []
        self._bytes = 0
        self._lines = 0
        self._result: RunResult | None = None

    @property
    def result(self) -> RunResult | None:
        return self._result

    def feed(self, line: bytes) -> Progress | None:
        """Parse one line without its newline. Returns a Progress for a progress record."""
        self._lines += 1
        self._bytes += len(line) + 1
        if len(line) > MAX_LINE_BYTES or self._bytes > MAX_STREAM_BYTES:
            self._fail(
                f"the line exceeds {MAX_LINE_BYTES} bytes or the stream {MAX_STREAM_BYTES} bytes"
            )
        record = self._parse(line)
        kind = record["type"]
        if self._result is not None:
            self._fail("a record after 'finished'")
        if kind == "started":
            if self._started is not None:
                self._fail("duplicate 'started' record")
            self._started = record
        elif self._started is None:
            self._fail(f"{kind!r} record before 'started'")
        try:
            return self._read_record(kind, record, line)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            self._fail(f"invalid {kind!r} record ({type(error).__name__}: {error})")

    def _read_record(self, kind: str, record: Mapping[str, Any], line: bytes) -> Progress | None:
        if kind == "progress":
            return Progress(
                _count(record["simulated_ns"]),
                _count(record["duration_ns"]),
                _count(record["events"]),
            )
        if kind == "finished":
            self._finish(record)
            return None
        self._digest(line, _label(record))
        match kind:
            case "metric":
                self._metric(record)
            case "series":
                values = np.asarray(record["values"], dtype=np.float32)
                if values.ndim != 1 or not np.isfinite(values).all():
                    raise ValueError("values must be finite numbers")
                self._chunks.setdefault(_name(record), []).append((record, values))
            case "packet_delay":
                if self._packet_delays is not None:
                    self._fail("duplicate 'packet_delay' record")
                self._packet_delays = _packet_delays(record)
            case "flow" | "port":
                self._flow_or_port(kind, record)
            case "check":
                self._check(record)
            case "started":
                pass
            case _:
                self._fail(f"unknown record type {kind!r}")
        return None

    def _metric(self, record: Mapping[str, Any]) -> None:
        name, value = _name(record), record["value"]
        metric = self._description.metric(name)
        if metric is None:
            self._fail(f"metric {name!r} is not in the simulator's description")
        if name in self._metrics:
            self._fail(f"duplicate metric {name!r}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("value must be a number")
        if abs(value) > _MAX_METRIC:
            raise ValueError(f"absolute value must not exceed {_MAX_METRIC:g}")
        self._metrics[name] = MetricValue(metric.name, float(value), metric.unit)

    def _flow_or_port(self, kind: str, record: Mapping[str, Any]) -> None:
        fields = _fields(record)
        records, names = self._records[kind], self._field_names[kind]
        names.update(_checked_name(name) for name in fields)
        if len(names) > MAX_FIELDS:  # each is a column of its own in the database
            self._fail(f"the {kind} records have more than {MAX_FIELDS} fields")
        records.append(fields)

    def _check(self, record: Mapping[str, Any]) -> None:
        name = _name(record)
        if not isinstance(record["held"], bool):
            raise ValueError("held must be true or false")
        if name in self._checks:
            self._fail(f"duplicate check {name!r}")
        self._checks[name] = Check(name, record["held"], str(record["detail"]))

    def _finish(self, record: Mapping[str, Any]) -> None:
        digest = hashlib.sha256(self._digests).hexdigest()
        if record["digest"] != digest:
            self._fail(
                f"the digest in 'finished' is {record['digest']}, but the records give {digest}"
            )
        assert self._started is not None
        self._result = RunResult(
            started=_fields(self._started),
            metrics=tuple(self._metrics.values()),
            series=tuple(_join_chunks(chunks) for chunks in self._chunks.values()),
            packet_delays=self._packet_delays or (),
            flows=tuple(self._records["flow"]),
            ports=tuple(self._records["port"]),
            checks=tuple(self._checks.values()),
            events=_count(record["events"]),
            digest=digest,
            record_digests=bytes(self._digests),
            record_labels=tuple(self._labels),
            metadata=dict(record.get("metadata", {})),
        )

    def _digest(self, line: bytes, label: str) -> None:
        deterministic = line.split(_METADATA, 1)[0]
        self._digests += hashlib.sha256(deterministic).digest()
        self._labels.append(label)

    def _parse(self, line: bytes) -> Mapping[str, Any]:
        try:
            return parse_record(line)
        except ValueError as error:
            self._fail(str(error))

    def _fail(self, message: str) -> NoReturn:
        short = message[:_MAX_MESSAGE_CHARACTERS]
        raise ContractError(f"line {self._lines} of the record stream: {short}")


def _fields(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in record.items() if key != "type"}


def _label(record: Mapping[str, Any]) -> str:
    """A record's name in messages: ``metric goodput_mbps``, ``flow 3``."""
    name = record.get("name", record.get("flow", record.get("port", "")))
    return f"{record['type']} {name}".strip()[:MAX_NAME_CHARACTERS]


def _join_chunks(chunks: list[tuple[Mapping[str, Any], NDArray[np.float32]]]) -> Series:
    first = chunks[0][0]
    expected, step = _count(first["first_ns"]), _count(first["step_ns"])
    if step == 0:
        raise ValueError("step_ns must be positive")
    for record, values in chunks:
        if (record["first_ns"], record["step_ns"]) != (expected, step):
            raise ValueError(f"chunks of series {first['name']!r} are not contiguous")
        expected += step * len(values)
    if expected >= 2**63:
        raise ValueError(f"series {first['name']!r} ends after the largest time, 2^63 ns")
    return Series(
        name=str(first["name"]),
        unit=str(first["unit"]),
        first_ns=_count(first["first_ns"]),
        step_ns=step,
        values=np.concatenate([values for _, values in chunks]),
    )


def _packet_delays(record: Mapping[str, Any]) -> tuple[PacketDelay, ...]:
    delays, packets = record["delay_ns"], record["packets"]
    if not isinstance(delays, list) or not isinstance(packets, list):
        raise ValueError("delay_ns and packets must be lists")
    if len(delays) != len(packets):
        raise ValueError(f"{len(delays)} values of delay_ns, but {len(packets)} of packets")
    if len(delays) > MAX_PACKET_DELAYS:
        raise ValueError(f"{len(delays)} delays, at most {MAX_PACKET_DELAYS} are allowed")
    previous = -1
    for delay, count in zip(delays, packets, strict=True):
        if _count(delay) <= previous:
            raise ValueError(f"delay_ns must increase, but {delay} follows {previous}")
        if _count(count) == 0:
            raise ValueError(f"packets must be positive, but no packet has delay_ns {delay}")
        previous = delay
    return tuple(map(PacketDelay, delays, packets))


def _name(record: Mapping[str, Any]) -> str:
    return _checked_name(record["name"])


def _checked_name(name: Any) -> str:
    """A name that PostgreSQL can index."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_CHARACTERS:
        raise ValueError(f"names must have 1 to {MAX_NAME_CHARACTERS} characters")
    return name


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a non-negative whole number")
    return value
