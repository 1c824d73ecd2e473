"""The scenarios of the page, and what is measured in each."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from validation import theory
from validation.runs import Metrics, Simulator

SEGMENT = 1448
RTT = 0.1  # s, propagation and the little serialization that 10 Gb/s leaves
LOSSES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)


@dataclass(frozen=True)
class Response:
    """An algorithm's response function: how it is run, and its theoretical values."""

    title: str
    algorithm: Any
    formula: str
    expected: Callable[[float], float]
    yardstick: Callable[[float], float]
    delayed_ack: int = 1


RESPONSES = (
    Response(
        "newreno", "newreno", "1.22/sqrt(p)", theory.reno,
        lambda p: theory.monte_carlo(theory.RENO, p),
    ),
    Response(
        "newreno, delayed ACK", "newreno", "0.87/sqrt(p)", lambda p: theory.reno(p, 2),
        lambda p: theory.monte_carlo(theory.RENO_DELAYED, p), delayed_ack=2,
    ),
    Response(
        "highspeed", "highspeed", "0.12/p^0.835", theory.highspeed,
        lambda p: theory.monte_carlo(theory.HIGHSPEED, p),
    ),
    Response(
        "highspeed-rfc3649", "highspeed-rfc3649", "0.12/p^0.835", theory.highspeed,
        lambda p: theory.monte_carlo(theory.HIGHSPEED, p),
    ),
    Response(
        "scalable", "scalable", "0.15/p", lambda p: theory.scalable(p, 0.02, 0.125),
        lambda p: theory.monte_carlo(theory.SCALABLE, p),
    ),
    Response(
        "cubic", "cubic", "RFC 9438, section 5.1", lambda p: theory.cubic(p, RTT),
        lambda p: theory.monte_carlo_cubic(p, RTT),
    ),
    Response(
        "compound", "compound", "0.255/p^0.8", theory.compound, theory.monte_carlo_compound,
    ),
)  # fmt: skip


def lossy(algorithm: Any, loss: float, seconds: float, delayed_ack: int = 1) -> dict[str, Any]:
    """One flow on a dumbbell whose links never queue; packets are lost at random."""
    return {
        "topology": {
            "kind": "dumbbell",
            "pairs": 1,
            "access": {"rate": "10Gbps", "delay": "0s"},
            "bottleneck": {"rate": "10Gbps", "delay": "50ms"},
            "loss_rate": loss,
            "queue": {"kind": "drop-tail", "limit": "100000p"},
        },
        "workload": {"kind": "bulk"},
        "algorithm": algorithm,
        "transport": {
            "segment": f"{SEGMENT}B",
            "timestamps": False,
            "delayed_ack_count": delayed_ack,
            "delayed_ack_timeout": "40ms",
            "min_rto": "200ms",
            "send_buffer": "16MiB",
            "receive_buffer": "16MiB",
            "initial_ssthresh": f"{max(4, int(theory.reno(loss))) * SEGMENT}B",
        },
        "duration": f"{round(seconds * 1.1, 3)}s",
        "warmup": f"{round(seconds * 0.1, 3)}s",
    }


def seconds_for(loss: float, window: float) -> float:
    """Simulated time for about 400 losses, fewer where they are rare."""
    losses = {1e-2: 500, 3e-3: 500, 1e-3: 400, 3e-4: 300, 1e-4: 150}[loss]
    return losses / loss / window * RTT


@dataclass(frozen=True)
class Point:
    """A measured window in segments, and the values it is compared with."""

    loss: float
    window: float
    mean_cwnd: float
    expected: float
    yardstick: float
    losses: float
    timeouts: float


def response_functions(simulator: Simulator) -> dict[str, list[Point]]:
    """By title: windows as segments delivered in a round trip, over LOSSES, two seeds each."""
    seeds = (1, 2)
    jobs = [
        (
            lossy(
                response.algorithm, p, seconds_for(p, response.expected(p)), response.delayed_ack
            ),
            seed,
        )
        for response in RESPONSES
        for p in LOSSES
        for seed in seeds
    ]
    results = simulator.run(jobs)
    points: dict[str, list[Point]] = {}
    for response in RESPONSES:
        points[response.title] = []
        for p in LOSSES:
            runs, results = results[: len(seeds)], results[len(seeds) :]
            points[response.title].append(_point(response, p, runs))
    return points


def _point(response: Response, p: float, runs: Sequence[Metrics]) -> Point:
    goodput = statistics.mean(run["goodput_mbps"] for run in runs)
    return Point(
        loss=p,
        window=goodput * 1e6 / 8 * RTT / SEGMENT,
        mean_cwnd=statistics.mean(run["cwnd_segments_mean"] for run in runs),
        expected=response.expected(p),
        yardstick=response.yardstick(p),
        losses=sum(run["random_losses"] for run in runs),
        timeouts=sum(run["timeouts"] for run in runs),
    )


def dctcp(flows: int, threshold: int) -> dict[str, Any]:
    return {
        "topology": {
            "kind": "dumbbell",
            "pairs": flows,
            "access": {"rate": "1Gbps", "delay": "20us"},
            "bottleneck": {"rate": "1Gbps", "delay": "60us"},
            "queue": {"kind": "threshold-ecn", "limit": "1000p", "ecn_threshold": f"{threshold}p"},
            "access_queue": {"kind": "drop-tail", "limit": "1000p"},
        },
        "workload": {"kind": "bulk", "flows": flows},
        "algorithm": "dctcp",
        "transport": {"delayed_ack_count": 1, "min_rto": "10ms", "send_buffer": "1MiB",
                      "receive_buffer": "1MiB"},
        "duration": "1s",
        "warmup": "200ms",
    }  # fmt: skip


DCTCP_CASES = [(flows, k) for flows in (2, 10) for k in (10, 20, 40, 65)]
DCTCP_BDP = 1e9 * 200e-6 / 8 / 1500


def dctcp_queues(simulator: Simulator) -> list[Metrics]:
    return simulator.run([(dctcp(flows, k), 1) for flows, k in DCTCP_CASES])


def vegas(alpha: int, beta: int, access_mbps: int, timestamps: bool, acks: int) -> dict[str, Any]:
    return {
        "topology": {
            "kind": "dumbbell",
            "pairs": 1,
            "access": {"rate": f"{access_mbps}Mbps", "delay": "10us"},
            "bottleneck": {"rate": "10Mbps", "delay": "20ms"},
            "queue": {"kind": "drop-tail", "limit": "200p"},
        },
        "workload": {"kind": "bulk"},
        "algorithm": {"kind": "vegas", "Alpha": alpha, "Beta": beta},
        "transport": {"timestamps": timestamps, "delayed_ack_count": acks, "min_rto": "300ms"},
        "duration": "60s",
        "warmup": "20s",
    }


VEGAS_CASES = [
    (alpha, beta, *setting)
    for alpha, beta in ((1, 3), (2, 4), (4, 8), (8, 16))
    for setting in ((1000, False, 1), (1000, True, 2))
]


def vegas_backlogs(simulator: Simulator) -> list[Metrics]:
    return simulator.run([(vegas(*case), 1) for case in VEGAS_CASES])


BBR_LOSSES = (0.0001, 0.001, 0.003, 0.01, 0.02, 0.05)
BBR_RIVALS = ("bbr", "cubic", "newreno")


def bbr(algorithm: str, loss: float) -> dict[str, Any]:
    """100 Mb/s and 40 ms; Cardwell et al., Figure 8, has 100 ms."""
    return {
        "topology": {
            "kind": "dumbbell",
            "pairs": 1,
            "access": {"rate": "1Gbps", "delay": "0s"},
            "bottleneck": {"rate": "100Mbps", "delay": "20ms"},
            "loss_rate": loss,
            "queue": {"kind": "drop-tail", "limit": "1bdp"},
            "access_queue": {"kind": "drop-tail", "limit": "2000p"},
        },
        "workload": {"kind": "bulk"},
        "algorithm": algorithm,
        "transport": {"delayed_ack_count": 1, "min_rto": "200ms", "send_buffer": "2MB",
                      "receive_buffer": "2MB"},
        "duration": "25s",
        "warmup": "5s",
    }  # fmt: skip


def bbr_throughput(simulator: Simulator) -> dict[str, list[Metrics]]:
    """By algorithm, over BBR_LOSSES."""
    jobs = [(bbr(rival, loss), 1) for rival in BBR_RIVALS for loss in BBR_LOSSES]
    runs = simulator.run(jobs)
    width = len(BBR_LOSSES)
    return {rival: runs[i * width : (i + 1) * width] for i, rival in enumerate(BBR_RIVALS)}


@dataclass(frozen=True)
class Results:
    responses: Mapping[str, list[Point]]
    dctcp: Sequence[Metrics]
    vegas: Sequence[Metrics]
    bbr: Mapping[str, list[Metrics]]
    seconds: Mapping[str, float] = field(default_factory=dict)
    simulator: str = ""  # name, digest and engine of the build that was measured

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Results:
        """Load what save() wrote, and compute the theoretical values again."""
        saved = json.loads(path.read_text(encoding="utf-8"))
        theories = {response.title: response for response in RESPONSES}
        saved["responses"] = {
            title: [
                replace(
                    Point(**point),
                    expected=theories[title].expected(point["loss"]),
                    yardstick=theories[title].yardstick(point["loss"]),
                )
                for point in points
            ]
            for title, points in saved["responses"].items()
        }
        return cls(**saved)
