"""Commands that need no service, and starting the embedded service.

Heavy modules are imported lazily: the light client is installed without them.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.client.discovery import local_folders, not_installed
from windtunnel.client.files import InputFile
from windtunnel.client.simulation import MessageCallback, execute, find_simulator, installed
from windtunnel.errors import Problem, RefusedError, SpecError
from windtunnel.variants import RELEASES, STANDARD, variant_name

if TYPE_CHECKING:
    from windtunnel.embedded.service import EmbeddedService

_CAMPAIGN_FIELDS = {"name", "sweep", "replications", "baseline", "family", "relevance"}


@contextmanager
def service(
    data: Path | None,
    on_message: MessageCallback,
    slots: int | None = None,
    bind: str = "127.0.0.1",
    port: int | None = None,
) -> Iterator[EmbeddedService]:
    """Context manager: the embedded service, running."""
    try:
        from windtunnel.embedded.service import EmbeddedService
    except ImportError as error:
        raise not_installed(error) from error
    _shut_down_on_signals()
    with EmbeddedService(local_folders(data), on_message, slots, bind, port) as running:
        yield running


def _shut_down_on_signals() -> None:
    """Turn Ctrl-C, SIGTERM and a closed terminal into KeyboardInterrupt.

    A repeated SIGTERM or SIGHUP does not disturb the shutdown, a second Ctrl-C does.
    """

    def interrupt(*_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    # A shell may have set SIGINT to ignored for us; nohup does so with SIGHUP, on purpose.
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, interrupt)


def descriptions(data: Path | None, on_message: MessageCallback) -> list[dict[str, Any]]:
    """Descriptions of each simulator's newest build, in the format of the API's catalogue."""
    builds = installed(data, on_message).newest().values()
    return [{**build.description.raw, "engine": build.description.engine} for build in builds]


def schema(
    data: Path | None, on_message: MessageCallback, simulator: str = STANDARD
) -> dict[str, Any]:
    """JSON Schema of campaign files."""
    build = find_simulator(installed(data, on_message), simulator)
    from windtunnel.spec.campaign import campaign_schema

    return campaign_schema(build.description.scenario_schema)


@dataclass(frozen=True)
class BuiltSimulator:
    """A simulator that was just compiled and installed."""

    name: str
    digest: str


def build(
    data: Path | None,
    on_message: MessageCallback,
    folder: Path | None,
    release: str | None,
    name: str | None,
) -> BuiltSimulator:
    """Compile and install the ns-3 simulator, and wait until a running service offers it.

    Raises SpecError for a name that is reserved or taken by another simulator.
    """
    try:
        from windtunnel.embedded.service import wait_until_offered
        from windtunnel.embedded.simulators import Variant, build_ns3
        from windtunnel.simulator import InstalledSimulators, describe
    except ImportError as error:
        raise not_installed(error) from error
    if folder is not None and not any(folder.glob("*.cc")):
        message = "contains no C++ source (*.cc)" if folder.is_dir() else "no such folder"
        raise SpecError([Problem(str(folder), message)])
    sources = folder.resolve() if folder else None
    full_name = variant_name(name, release, sources.name if sources else None)
    folders = local_folders(data)
    folders.create(on_message)
    existing = InstalledSimulators(folders.simulators).newest().get(full_name)
    if existing is not None and not existing.description.engine.startswith("ns-3 "):
        message = f"{full_name!r} is already the name of another simulator; choose another name"
        raise SpecError([Problem("--name", message)])
    variant = Variant(full_name, release or RELEASES[0], sources)
    program = build_ns3(folders, on_message, variant=variant)
    simulator = BuiltSimulator(full_name, describe([str(program)]).digest)
    wait_until_offered(folders, simulator.name, simulator.digest)
    return simulator


def read_run_spec(file: InputFile) -> dict[str, Any]:
    """Read a run spec from JSON or YAML. Raises SpecError, or RefusedError for a campaign file."""
    from windtunnel.spec import read_json, read_yaml

    spec = (read_json if file.is_json else read_yaml)(file.content).value
    if isinstance(spec, dict) and "seed_index" not in spec and _CAMPAIGN_FIELDS & spec.keys():
        raise RefusedError(
            "invalid_request",
            f"{file.name} is a campaign file, but simulate executes a single run; to execute the "
            f"campaign: windtunnel run {file.name}, to see its runs: windtunnel plan {file.name}",
        )
    if not isinstance(spec, dict) or not isinstance(spec.get("scenario"), dict):
        raise SpecError(
            [Problem("scenario", "missing; a run spec has simulator, seed_index and scenario")]
        )
    return spec


def simulate(
    spec: Mapping[str, Any],
    data: Path | None,
    on_message: MessageCallback,
    pcap: tuple[str, Path] | None = None,
    digest: str | None = None,
) -> str | None:
    """Execute a run spec and print its records. Returns an error message or None.

    Arguments are those of windtunnel.client.simulation.execute. Raises SpecError.
    """
    installed(data, on_message)  # or says what is missing
    from windtunnel.simulator import Cancelled, Succeeded, become_subreaper

    def print_line(line: bytes) -> None:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()

    become_subreaper()
    outcome = execute(spec, data, on_message, pcap, digest, print_line)
    if outcome.stderr:
        sys.stderr.write(outcome.stderr)
    if isinstance(outcome, Succeeded):
        return None
    return "cancelled" if isinstance(outcome, Cancelled) else outcome.message
