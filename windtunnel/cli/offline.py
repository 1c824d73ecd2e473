"""Commands that need no service, and starting the embedded service.

Heavy modules are imported lazily: the light client is installed without them.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.client.files import InputFile
from windtunnel.client.http import RefusedError
from windtunnel.errors import Problem, SpecError, UnavailableError, quoted
from windtunnel.variants import RELEASES, STANDARD, build_hint, is_stock, variant_name

if TYPE_CHECKING:
    from windtunnel.embedded.folders import Folders
    from windtunnel.embedded.service import EmbeddedService
    from windtunnel.simulator import InstalledSimulator, InstalledSimulators

MessageCallback = Callable[[str], None]

_CAMPAIGN_FIELDS = {"name", "sweep", "replications", "baseline", "family", "relevance"}


def local_folders(data: Path | None) -> Folders:
    try:
        from windtunnel.embedded.folders import Folders, default_data
    except ImportError as error:
        raise _not_installed(error) from error
    return Folders((data or default_data()).resolve())


def _not_installed(error: ImportError) -> UnavailableError:
    return UnavailableError(
        f"this needs windtunnel[local] ({error.name} is missing): "
        "pip install 'windtunnel[local]', or name a server with --server"
    )


def running_service_address(data: Path | None) -> str | None:
    """Address of the service running on the data folder, or None."""
    try:
        from windtunnel.embedded.service import running_service
    except ImportError:
        return None
    return running_service(local_folders(data))


def local_token(data: Path | None) -> str | None:
    """The token of the data folder's owner; None if there is none. Raises UnavailableError."""
    try:
        from windtunnel.embedded.access import read_token
    except ImportError:
        return None
    try:
        return read_token(local_folders(data)) or None
    except FileNotFoundError:
        return None


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
        raise _not_installed(error) from error
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


def installed(data: Path | None, on_message: MessageCallback) -> InstalledSimulators:
    """The installed simulators; builds ns3 first if it is missing."""
    try:
        from windtunnel.embedded.simulators import build_if_missing
        from windtunnel.simulator import InstalledSimulators
    except ImportError as error:
        raise _not_installed(error) from error
    folders = local_folders(data)
    folders.create(on_message)
    build_if_missing(folders, on_message)
    return InstalledSimulators(folders.simulators)


def find_simulator(
    simulators: InstalledSimulators, reference: str, digest: str | None = None
) -> InstalledSimulator:
    """The build with ``digest`` if installed, else the newest one that ``reference`` matches.

    Raises SpecError if none is installed.
    """
    from windtunnel.spec.axes import split_reference

    name, pinned = split_reference(reference)
    now = simulators.now().values()
    builds = [
        build
        for build in now
        if build.description.name == name and build.description.digest.startswith(pinned or "")
    ]
    if not builds:
        known = sorted({build.description.name for build in now})
        raise SpecError([Problem("simulator", _not_installed_message(reference, name, known))])
    exact = [build for build in builds if build.description.digest == digest]
    return max(exact or builds, key=lambda build: build.installed_at)


def _not_installed_message(reference: str, name: str, known: Sequence[str]) -> str:
    from windtunnel.spec.suggestions import nearest

    message = f"{reference!r} is not installed on this machine"
    if name in known:
        return f"{message}; the name without a digest is the newest build: {name}"
    hint = "" if is_stock(name) else nearest(name, known)
    if hint:
        return message + hint
    listed = f"; installed: {', '.join(known)}" if known else ""
    return f"{message}{listed}{build_hint(name)}"


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
        raise _not_installed(error) from error
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

    ``pcap`` is a port and the file to capture its packets in. ``digest`` is the build to prefer.
    Raises SpecError.
    """
    reference = spec.get("simulator", STANDARD)
    if not isinstance(reference, str):
        raise SpecError([Problem("simulator", f"{quoted(reference)} is not a simulator name")])
    build = find_simulator(installed(data, on_message), reference, digest)
    description = build.description
    if digest and description.digest != digest:
        on_message(
            f"the run was computed by {description.name} {digest[:8]}, which is not installed on "
            f"this machine; using {description.digest[:8]} instead: records may differ"
        )
    from windtunnel.simulator import Cancelled, Limits, ProcessLauncher, Succeeded, become_subreaper

    resolution = description.resolver().resolve(spec.get("scenario"))
    problems = list(resolution.problems)
    seed_index = spec.get("seed_index", 1)
    if isinstance(seed_index, bool) or not isinstance(seed_index, int) or seed_index < 1:
        problems.append(
            Problem("seed_index", f"{quoted(seed_index)} is not a positive whole number")
        )
    if problems:
        raise SpecError(problems)
    resolved_spec = {
        "simulator": description.name,
        "seed_index": seed_index,
        "scenario": resolution.scenario,
    }

    def print_line(line: bytes) -> None:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()

    capture = ["--pcap", pcap[0], str(pcap[1].resolve())] if pcap else []
    launcher = ProcessLauncher([str(build.program), *capture], description)
    limits = Limits(wall_seconds=24 * 3600, file_bytes=2**40 if pcap else 0)
    become_subreaper()
    outcome = launcher.run(resolved_spec, limits, sink=print_line)
    if outcome.stderr:
        sys.stderr.write(outcome.stderr)
    if isinstance(outcome, Succeeded):
        return None
    return "cancelled" if isinstance(outcome, Cancelled) else outcome.message
