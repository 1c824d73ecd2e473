"""A few planner processes, and the requests that wait for one."""

from __future__ import annotations

import asyncio
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from windtunnel.errors import UnavailableError, WindtunnelError
from windtunnel.plan import Plan
from windtunnel.settings import Settings
from windtunnel_api.planner import CampaignFile, too_expensive

PROCESSES = 2
MAX_WAITING = 16


class PlannerPool:
    """Plans campaign files in processes that are kept."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._free = asyncio.Semaphore(PROCESSES)
        self._waiting = 0
        self._idle: list[_Planner] = []
        self._busy: set[_Planner] = set()
        # A thread for each process: it waits for the answer.
        self._threads = ThreadPoolExecutor(PROCESSES, thread_name_prefix="planner")

    def start(self) -> None:
        """Start a process, which takes a second, before it is needed."""
        self._idle.append(_Planner(self._settings))

    async def plan(self, file: CampaignFile) -> Plan:
        """Raises SpecError, or UnavailableError if too many requests wait already.

        Cancelling this ends the process that plans the file, unless it is still starting: a client
        that is less patient than that would never find one.
        """
        if self._waiting >= MAX_WAITING:
            raise UnavailableError(
                "too many campaigns are waiting to be planned; retry in a few seconds"
            )
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        planner = self._take()
        exchange = asyncio.ensure_future(self._exchange(planner, file))
        exchange.add_done_callback(_retrieve)
        try:
            return await asyncio.shield(exchange)
        except asyncio.CancelledError:
            if planner.has_answered:
                planner.kill()
            raise

    def close(self) -> None:
        """End the processes."""
        for planner in (*self._idle, *self._busy):
            planner.kill()
        self._threads.shutdown(cancel_futures=True)

    async def _exchange(self, planner: _Planner, file: CampaignFile) -> Plan:
        self._busy.add(planner)
        try:
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._threads, planner.exchange, file)
            self._idle.append(planner)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise planner.error_of_end() from error
        finally:
            self._busy.remove(planner)
            self._free.release()
        if isinstance(answer, WindtunnelError):
            raise answer
        return answer

    def _take(self) -> _Planner:
        while self._idle:
            planner = self._idle.pop()
            if planner.is_running():
                return planner
        return _Planner(self._settings)


def _retrieve(exchange: asyncio.Future[Plan]) -> None:
    """Take the error of an exchange that nobody waits for any more."""
    if not exchange.cancelled():
        exchange.exception()


class _Planner:
    """One process of windtunnel_api.planner."""

    def __init__(self, settings: Settings) -> None:
        self.has_answered = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "windtunnel_api.planner"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._send(settings)

    def exchange(self, file: CampaignFile) -> Plan | WindtunnelError:
        """Send a file and wait for the answer. Raises EOFError or OSError if the process ends."""
        self._send(file)
        assert self._process.stdout is not None
        answer: Plan | WindtunnelError = pickle.load(self._process.stdout)  # noqa: S301
        self.has_answered = True
        return answer

    def error_of_end(self) -> WindtunnelError:
        """Why the process ended: at its CPU limit, killed for lack of memory, or by an error."""
        if -self._process.wait() in (signal.SIGXCPU, signal.SIGKILL):
            return too_expensive()
        return UnavailableError("the planner process failed; see the service log")

    def is_running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        pickle.dump(message, self._process.stdin, pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()
