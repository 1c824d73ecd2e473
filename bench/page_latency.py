"""How long pages wait: while a campaign of 2,000 runs is executed, and under an attack as well.

Everything real: PostgreSQL, Redis, Celery, uvicorn on this machine (the embedded service). The
attack: 36 clients send the most expensive campaign files, refused and accepted ones (dry runs),
over and over. Goals: p95 of at most 100 ms under way, and under attack less than twice that.

    PYTHONPATH=. .venv/bin/python bench/page_latency.py
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from bench.planning import FILES
from tests.conftest import Service, start_service, tiny_campaign

CLIENTS = 36
SECONDS = 30.0
GOAL_MS = 100.0
ATTACKS = (
    "5,000 cells, an error in the last",
    "5,000 cells x 20 seeds",
    "a list of 90,000 values copied by each cell",
    "JSON: one key 80,000 times",
    "YAML: 99,000 values, an error at the end",
    "100 groups, each cell others",
)


def main() -> None:
    for service in start_service(None, max_body_bytes=str(2**21)):
        _bench(service)


def _bench(service: Service) -> None:
    print(f"{'p95 (median) of each page, ms':<32}{'alone':>12}{'2,000 runs':>12}{'attack':>16}")
    small = service.submit(tiny_campaign(sweep={"offset": [1, 2]}))["id"]
    service.wait(small)
    alone = _measure(service, small)
    # 0.3 s each on two slots: five minutes.
    offsets = list(range(1000, 1200))
    large = service.submit(tiny_campaign(sweep={"offset": offsets}, replications=10, wall=0.3))
    path = f"/campaigns/{large['id']}"
    service.until(lambda: service.get(path)["runs"]["succeeded"], lambda done: done > 0)
    busy = _measure(service, large["id"])
    with _attack(service) as answers:
        attacked = _measure(service, large["id"])
    done = service.get(path)["runs"]["succeeded"]
    assert done < large["total_runs"], "the campaign ended too early"
    for page in alone:
        before, during, under_attack = (_figures(times[page]) for times in (alone, busy, attacked))
        print(f"{page:<32}{before:>12}{during:>12}{under_attack:>16}")
    _print_goals(busy, attacked)
    print(f"{done:,} of 2,000 runs done; answers to the attack {dict(answers)}")
    service.http.post(f"{path}/cancel")


def _print_goals(busy: dict[str, list[float]], attacked: dict[str, list[float]]) -> None:
    """p95 of all pages' requests together, and by what factor the attack lengthens it."""
    before, after = (
        1000 * _p95([seconds for page in times.values() for seconds in page])
        for times in (busy, attacked)
    )
    print(f"2,000 runs under way: p95 {before:.0f} ms (goal: {GOAL_MS:.0f} ms)")
    print(f"with {CLIENTS} attackers:   p95 {after:.0f} ms, {after / before:.1f} times (goal: 2)")


def _measure(service: Service, campaign: str) -> dict[str, list[float]]:
    """Seconds of each request by page: all of them in turn, as somebody who looks around."""
    run = service.runs(campaign)[0]["id"]
    pages = {
        "/health": "/health",
        "/campaigns": "/campaigns",
        "/campaigns/ID": f"/campaigns/{campaign}",
        "/campaigns/ID/comparison": f"/campaigns/{campaign}/comparison?default=true",
        "/campaigns/ID/runs": f"/campaigns/{campaign}/runs?limit=100",
        "/runs/ID": f"/runs/{run}",
    }
    times: dict[str, list[float]] = {page: [] for page in pages}
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        for page, path in pages.items():
            begin = time.monotonic()
            answer = service.http.get(path, timeout=120)
            assert answer.status_code == 200, answer.text
            times[page].append(time.monotonic() - begin)
            time.sleep(0.01)
    return times


def _p95(times: list[float]) -> float:
    return sorted(times)[round(0.95 * (len(times) - 1))]


def _figures(times: list[float]) -> str:
    middle = sorted(times)[len(times) // 2]
    return f"{1000 * _p95(times):.0f} ({1000 * middle:.0f})"


@contextmanager
def _attack(service: Service) -> Iterator[Counter[int]]:
    """Attack meanwhile; the counted answers."""
    stop = threading.Event()
    answers: Counter[int] = Counter()
    clients = [
        threading.Thread(target=_keep_sending, args=(service, number, stop, answers))
        for number in range(CLIENTS)
    ]
    for client in clients:
        client.start()
    time.sleep(1)
    try:
        yield answers
    finally:
        stop.set()
        for client in clients:
            client.join()


def _keep_sending(
    service: Service, number: int, stop: threading.Event, answers: Counter[int]
) -> None:
    name = ATTACKS[number % len(ATTACKS)]
    kind = "yaml" if name.startswith("YAML") else "json"
    with httpx2.Client(
        base_url=service.http.base_url, headers=service.headers, timeout=600
    ) as http:
        while not stop.is_set():
            answer = http.post(
                "/campaigns?dry_run=true",
                content=FILES[name],
                headers={"Content-Type": f"application/{kind}"},
            )
            answers[answer.status_code] += 1
            if answer.status_code == 503:
                time.sleep(1)


if __name__ == "__main__":
    main()
