#!/usr/bin/env python3
"""A minimal simulator that implements the contract and can misbehave; standard library only.

Its model: `value = offset + seed_index % modulus`, one event a millisecond.
"""

import hashlib
import json
import os
import sys
import time
from typing import Any

SCENARIO = {
    "type": "object",
    "additionalProperties": False,
    "required": ["duration"],
    "properties": {
        "duration": {"type": "string", "x-quantity": "time", "x-minimum": "1ms"},
        "wall": {"type": "number", "minimum": 0, "default": 0},
        "labels": {"type": "integer", "minimum": 0, "default": 0},
        "offset": {"type": "integer", "minimum": 0, "maximum": 1000000, "default": 0},
        "delays": {"type": "integer", "minimum": 0, "default": 0},
        "goodput": {"type": ["number", "null"], "default": None},
        "modulus": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 1000000},
        "misbehave": {
            "enum": [
                "no",
                "crash",
                "hang",
                "flood",
                "eat",
                "garbage",
                "silent",
                "broken-check",
                "wrong-digest",
                "random",
                "kill-self",
            ],
            "default": "no",
        },
    },
}
COST = {
    "events": "duration / 1e6",
    "simulated_seconds": "duration / 1e9",
    "events_per_second": 1000000,
    "startup_seconds": 0.02,
}


def describe() -> None:
    with open(__file__, "rb") as source:
        digest = hashlib.sha256(source.read()).hexdigest()
    value = {"name": "value", "unit": "things", "direction": "higher", "definition": "The value."}
    goodput = {"name": "goodput_mbps", "unit": "Mb/s", "direction": "higher", "definition": "..."}
    delay = {"name": "packet_delay_ms_mean", "unit": "s", "direction": "lower", "definition": "."}
    with_labels = {"default": "labels == 9.0"}
    print(
        json.dumps(
            {
                "contract": 2,
                "name": "tiny",
                "title": "A test's simulator",
                "metrics": [{**value, "default": "true"}, {**goodput, **with_labels}, delay],
                "engine": {"name": "python", "version": "3"},
                "digest": digest,
                "scenario": SCENARIO,
                "cost": COST,
            }
        )
    )


digests = hashlib.sha256()


def emit(record: dict[str, Any], metadata: dict[str, Any] | None = None) -> None:
    text = json.dumps(record)[:-1]
    deterministic = text if metadata else text + "}"
    digests.update(hashlib.sha256(deterministic.encode()).digest())
    print(f'{text},"metadata":{json.dumps(metadata)}}}' if metadata else deterministic, flush=True)


def emit_packet_delays(delays: int, seed: int) -> None:
    """n * seed packets of n ms."""
    if delays:
        counts = range(1, delays + 1)
        delay_ns, packets = [1000000 * n for n in counts], [n * seed for n in counts]
        emit({"type": "packet_delay", "delay_ns": delay_ns, "packets": packets})


def run(spec: dict[str, Any]) -> None:
    scenario, seed = spec["scenario"], spec["seed_index"]
    duration = int(scenario["duration"].removesuffix("ns"))
    misbehave = scenario["misbehave"]
    value = scenario["offset"] + seed % scenario["modulus"]
    emit(
        {"type": "started", "schedule": f"{seed % scenario['modulus']:064x}", "configuration": {}},
        {"seed_index": seed},
    )
    if misbehave == "crash":
        sys.exit("Traceback: the model exploded at step 17")
    while misbehave == "hang":
        time.sleep(1)
    while misbehave == "flood":
        print(json.dumps({"type": "progress", "simulated_ns": 0, "duration_ns": 1, "events": 0}))
    hoard = []
    while misbehave == "eat":
        hoard.append(b"x" * 2**24)
    if misbehave == "garbage":
        print("this is no record", flush=True)
    if misbehave == "silent":
        return
    if misbehave == "kill-self":
        os.kill(os.getpid(), 9)
    for step in range(10 if scenario["wall"] else 0):
        time.sleep(scenario["wall"] / 10)
        print(
            json.dumps(
                {
                    "type": "progress",
                    "simulated_ns": duration * step // 10,
                    "duration_ns": duration,
                    "events": step,
                }
            ),
            flush=True,
        )
    if misbehave == "random":
        value = time.time_ns()
    emit({"type": "metric", "name": "value", "unit": "things", "value": value})
    if seed <= scenario["labels"]:  # a labelled metric that only this seed has
        emit({"type": "metric", "name": f"value:seed{seed}", "unit": "things", "value": seed})
    if scenario["goodput"] is not None:  # metrics that ns3 has as well, one in another unit
        goodput = scenario["goodput"] + seed
        emit({"type": "metric", "name": "goodput_mbps", "unit": "Mb/s", "value": goodput})
        emit({"type": "metric", "name": "packet_delay_ms_mean", "unit": "s", "value": 0.001})
    emit(
        {
            "type": "series",
            "name": "steps",
            "unit": "things",
            "first_ns": 0,
            "step_ns": 1000000,
            "values": [0.5, 1.5, value],
        }
    )
    emit_packet_delays(scenario["delays"], seed)
    emit({"type": "flow", "flow": 0, "bytes": value})
    emit(
        {"type": "check", "name": "sum", "held": misbehave != "broken-check", "detail": "1 + 1 = 2"}
    )
    digest = "0" * 64 if misbehave == "wrong-digest" else digests.hexdigest()
    print(
        json.dumps(
            {
                "type": "finished",
                "events": duration // 1000000,
                "digest": digest,
                "metadata": {"cpu_seconds": time.process_time()},
            }
        )
    )


if __name__ == "__main__":
    describe() if sys.argv[1:] == ["describe"] else run(json.load(sys.stdin))
