"""Executing one run spec on this machine, without a service.

Heavy modules are imported lazily: the light client is installed without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.client.discovery import local_folders, not_installed
from windtunnel.errors import Problem, SpecError, quoted
from windtunnel.variants import STANDARD, build_hint, is_stock

if TYPE_CHECKING:
    from windtunnel.simulator import InstalledSimulator, InstalledSimulators, Outcome
    from windtunnel.spec.description import Description

MessageCallback = Callable[[str], None]

_LONGEST_SECONDS = 24 * 3600


def installed(data: Path | None, on_message: MessageCallback) -> InstalledSimulators:
    """The installed simulators; builds ns3 first if it is missing."""
    try:
        from windtunnel.embedded.simulators import build_if_missing
        from windtunnel.simulator import InstalledSimulators
    except ImportError as error:
        raise not_installed(error) from error
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
    from windtunnel.suggestions import nearest

    message = f"{reference!r} is not installed on this machine"
    if name in known:
        return f"{message}; the name without a digest is the newest build: {name}"
    hint = "" if is_stock(name) else nearest(name, known)
    if hint:
        return message + hint
    listed = f"; installed: {', '.join(known)}" if known else ""
    return f"{message}{listed}{build_hint(name)}"


def execute(
    spec: Mapping[str, Any],
    data: Path | None,
    on_message: MessageCallback,
    pcap: tuple[str, Path] | None = None,
    digest: str | None = None,
    sink: Callable[[bytes], None] | None = None,
) -> Outcome:
    """Execute a run spec: ``simulator``, ``seed_index`` and ``scenario``.

    ``pcap`` is a port and the file to capture its packets in. ``digest`` is the build to prefer.
    ``sink`` gets each line of the record stream. Raises SpecError.
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
    from windtunnel.simulator import Limits, ProcessLauncher

    capture = ["--pcap", pcap[0], str(pcap[1].resolve())] if pcap else []
    launcher = ProcessLauncher([str(build.program), *capture], description)
    limits = Limits(wall_seconds=_LONGEST_SECONDS, file_bytes=2**40 if pcap else 0)
    return launcher.run(_resolved(spec, description), limits, sink=sink)


def _resolved(spec: Mapping[str, Any], description: Description) -> dict[str, Any]:
    """A run spec with every default. Raises SpecError."""
    resolution = description.resolver().resolve(spec.get("scenario"))
    problems = list(resolution.problems)
    seed_index = spec.get("seed_index", 1)
    if isinstance(seed_index, bool) or not isinstance(seed_index, int) or seed_index < 1:
        problems.append(
            Problem("seed_index", f"{quoted(seed_index)} is not a positive whole number")
        )
    if problems:
        raise SpecError(problems)
    return {
        "simulator": description.name,
        "seed_index": seed_index,
        "scenario": resolution.scenario,
    }
