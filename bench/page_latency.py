"""How long pages wait while the most expensive campaign files arrive all at once.

Everything real: PostgreSQL, Redis, uvicorn on this machine (the embedded service). 36 clients send
refused and accepted files (dry runs) over and over; meanwhile the time of each page's request is
taken.

    PYTHONPATH=. .venv/bin/python bench/page_latency.py
"""

from __future__ import annotations

import threading
import time
from collections import Counter

import httpx2

from bench.planning import FILES
from tests.conftest import Service, start_service

CLIENTS = 36
SECONDS = 20.0
PATHS = ("/health", "/campaigns")
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
        print(f"{'':<24}" + "".join(f"{path:>26}" for path in PATHS))
        _report("alone", service)
        stop = threading.Event()
        answers: Counter[int] = Counter()
        clients = [
            threading.Thread(target=_attack, args=(service.url, number, stop, answers))
            for number in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        time.sleep(1)
        _report(f"{CLIENTS} attacking clients", service)
        stop.set()
        begin = time.monotonic()
        for client in clients:
            client.join()
        print(f"last attacker done after {time.monotonic() - begin:.1f} s; answers {dict(answers)}")


def _report(name: str, service: Service) -> None:
    line = f"{name:<24}"
    for path in PATHS:
        times = _times(service, path)
        middle, high = times[len(times) // 2], times[round(0.95 * (len(times) - 1))]
        line += f"{middle * 1e3:>8.0f} p95{high * 1e3:>6.0f} ms x{len(times):>4}"
    print(line, flush=True)


def _times(service: Service, path: str) -> list[float]:
    times: list[float] = []
    until = time.monotonic() + SECONDS / len(PATHS)
    while time.monotonic() < until and len(times) < 500:
        begin = time.monotonic()
        answer = service.http.get(path, timeout=120)
        assert answer.status_code == 200, answer.text
        times.append(time.monotonic() - begin)
        time.sleep(0.01)
    return sorted(times)


def _attack(url: str, number: int, stop: threading.Event, answers: Counter[int]) -> None:
    name = ATTACKS[number % len(ATTACKS)]
    kind = "yaml" if name.startswith("YAML") else "json"
    with httpx2.Client(base_url=f"{url}/api/v1", timeout=600) as http:
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
