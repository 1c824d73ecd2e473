"""What the command line can do without a service, and starting the embedded one.

Everything heavy is imported when it is needed: the light client has none of it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from windtunnel.cli.render import table_of
from windtunnel.errors import Problem, SpecError, UnavailableError
from windtunnel.quantities import parse_canonical
from windtunnel.variants import RELEASES, STANDARD, build_hint, variant_name

if TYPE_CHECKING:
    from windtunnel.embedded.folders import Folders
    from windtunnel.embedded.service import EmbeddedService
    from windtunnel.simulator import InstalledSimulator, InstalledSimulators

Say = Callable[[str], None]

# Where the catalogue's parts are in a scenario.
PARTS = {
    "algorithms": "algorithm",
    "topologies": "topology",
    "queues": "queue",
    "workloads": "workload",
}


def _folders(data: Path | None) -> Folders:
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


def running(data: Path | None) -> str | None:
    """Address of the service that runs on this machine's data folder, if one does."""
    try:
        from windtunnel.embedded.service import running_service
    except ImportError:
        return None
    return running_service(_folders(data))


@contextmanager
def service(
    data: Path | None, say: Say, slots: int | None = None, bind: str = "127.0.0.1"
) -> Iterator[EmbeddedService]:
    """The embedded service, running."""
    try:
        from windtunnel.embedded.service import EmbeddedService
    except ImportError as error:
        raise _not_installed(error) from error
    # Both signals end a service in the same orderly way, also where a shell ignores SIGINT for us.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with EmbeddedService(_folders(data), say, slots, bind) as started:
        yield started


def _installed(data: Path | None, say: Say) -> InstalledSimulators:
    """What is installed; ns3 is built first if it is not there."""
    try:
        from windtunnel.embedded.simulators import build_ns3, newest_simulator
        from windtunnel.simulator import InstalledSimulators
    except ImportError as error:
        raise _not_installed(error) from error
    folders = _folders(data)
    folders.create()
    if newest_simulator(folders) is None:
        build_ns3(folders, say)
    return InstalledSimulators(folders.simulators)


def _simulator(
    data: Path | None, say: Say, reference: str, digest: str | None = None
) -> InstalledSimulator:
    """The newest build of a name, or the one pinned, or the one with the digest if it is here.

    Raises SpecError for one that is not installed.
    """
    from windtunnel.spec.campaign import split_reference

    name, pinned = split_reference(reference)
    builds = [
        one
        for one in _installed(data, say).now().values()
        if one.description.name == name and one.description.digest.startswith(pinned or "")
    ]
    exact = [one for one in builds if one.description.digest == digest]
    if not builds:
        message = f"{reference!r} is not installed here{build_hint(name)}"
        raise SpecError([Problem("simulator", message)])
    found = max(exact or builds, key=lambda one: one.installed_at)
    if digest and not exact:
        say(
            f"the run was made by {name} {digest[:8]}, which is not installed here; "
            f"using {found.description.digest[:8]}: records may differ"
        )
    return found


def descriptions(data: Path | None, say: Say) -> list[dict[str, Any]]:
    """What the newest build of each installed simulator offers, as the API's catalogue has it."""
    newest = _installed(data, say).newest().values()
    return [{**one.description.raw, "engine": one.description.engine} for one in newest]


def schema(data: Path | None, say: Say, simulator: str = STANDARD) -> dict[str, Any]:
    """JSON Schema of campaign files."""
    found = _simulator(data, say, simulator)
    from windtunnel.spec.campaign import campaign_schema

    return campaign_schema(found.description.scenario_schema)


@dataclass(frozen=True)
class Built:
    """A simulator that was compiled and installed."""

    name: str
    digest: str


def build(
    data: Path | None, say: Say, folder: Path | None, release: str | None, name: str | None
) -> Built:
    """Compile and install ns-3's simulator; a service on the data folder offers it when this ends.

    Raises SpecError for a name that means another.
    """
    try:
        from windtunnel.embedded.service import await_offered
        from windtunnel.embedded.simulators import Variant, build_ns3
        from windtunnel.simulator import InstalledSimulators, describe
    except ImportError as error:
        raise _not_installed(error) from error
    if folder is not None and not any(folder.glob("*.cc")):
        message = "has no C++ source (*.cc)" if folder.is_dir() else "there is no such folder"
        raise SpecError([Problem(str(folder), message)])
    pairs = folder.resolve() if folder else None
    named = variant_name(name, release, pairs.name if pairs else None)
    folders = _folders(data)
    folders.create()
    other = InstalledSimulators(folders.simulators).newest().get(named)
    if other is not None and not other.description.engine.startswith("ns-3 "):
        message = f"{named!r} is installed already, and is no build of ns-3; choose another name"
        raise SpecError([Problem("--name", message)])
    program = build_ns3(folders, say, variant=Variant(named, release or RELEASES[0], pairs))
    built = Built(named, describe([str(program)]).digest)
    await_offered(folders, built.name, built.digest)
    return built


def read_run_spec(file: Path) -> dict[str, Any]:
    """A run spec from a file, JSON or YAML. Raises SpecError."""
    from windtunnel.spec import read_json, read_yaml

    read = read_json if file.suffix == ".json" else read_yaml
    spec = read(file.read_bytes()).value
    if not isinstance(spec, dict) or not isinstance(spec.get("scenario"), dict):
        raise SpecError(
            [Problem("scenario", "missing; a run spec has simulator, seed_index, scenario")]
        )
    return spec


def simulate(
    spec: Mapping[str, Any],
    data: Path | None,
    say: Say,
    pcap: tuple[str, Path] | None = None,
    digest: str | None = None,
) -> str | None:
    """Execute a run spec, records to stdout; what went wrong, or None. Raises SpecError.

    ``pcap`` names a port and the file that its packets are to be captured in; ``digest`` is that of
    the build to use, if it is installed.
    """
    reference = spec.get("simulator", STANDARD)
    if not isinstance(reference, str):
        raise SpecError([Problem("simulator", f"{reference!r} is not a simulator's name")])
    build = _simulator(data, say, reference, digest)
    found = build.description
    from windtunnel.simulator import Cancelled, Limits, ProcessLauncher, Succeeded

    resolution = found.resolver().resolve(spec.get("scenario"))
    problems = list(resolution.problems)
    seed_index = spec.get("seed_index", 1)
    if isinstance(seed_index, bool) or not isinstance(seed_index, int) or seed_index < 1:
        problems.append(Problem("seed_index", f"{seed_index!r} is not a whole number from 1"))
    if problems:
        raise SpecError(problems)
    whole = {"simulator": found.name, "seed_index": seed_index, "scenario": resolution.scenario}

    def print_line(line: bytes) -> None:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()

    capture = ["--pcap", pcap[0], str(pcap[1].resolve())] if pcap else []
    launcher = ProcessLauncher([str(build.program), *capture], found)
    limits = Limits(wall_seconds=24 * 3600, file_bytes=2**40 if pcap else 0)
    outcome = launcher.run(whole, limits, sink=print_line)
    if outcome.stderr:
        sys.stderr.write(outcome.stderr)
    if isinstance(outcome, Succeeded):
        return None
    return "cancelled" if isinstance(outcome, Cancelled) else outcome.message


def print_catalogue(
    out: Console, simulators: Sequence[Mapping[str, Any]], part: str | None
) -> None:
    """Tables of one part, or of all, of each simulator. Raises LookupError for an unknown part."""
    known = [*PARTS, "metrics"]
    if part is not None and part not in known:
        raise LookupError(f"{part!r} is none of {', '.join(known)}")
    for index, simulator in enumerate(simulators):
        if index:
            out.print()
        _print_simulator(out, simulator, known if part is None else [part])


def _print_simulator(out: Console, simulator: Mapping[str, Any], parts: Sequence[str]) -> None:
    out.print(f"{simulator['name']}: {simulator['title']}, {simulator['engine']}")
    for name in parts:
        if name == "metrics":
            out.print()
            metrics = [
                (m["name"], m["unit"], m["direction"], m["definition"])
                for m in simulator["metrics"]
            ]
            out.print(table_of(("metric", "unit", "better", "definition"), metrics))
        else:
            choices = _choices(simulator["scenario"], PARTS[name])
            if not choices:
                continue
            out.print()
            rows = [(c["title"], _parameters(c), _sentence(c)) for c in choices]
            out.print(table_of((PARTS[name], "parameters (default)", "what it is"), rows))


def _choices(scenario: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    """The kinds of a part, of the scenario or (``queue``) of its first topology that has one."""
    topology = scenario["properties"].get("topology", {})
    inner = [one["properties"] for one in topology.get("oneOf", [])]
    for properties in (scenario["properties"], *inner):
        if part in properties:
            found: list[Mapping[str, Any]] = properties[part].get("oneOf", [])
            return found
    return []


def _parameters(choice: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name} ({_default(schema['default'])})" if "default" in schema else name
        for name, schema in choice["properties"].items()
        if name != "kind"
    )


def _default(value: Any) -> str:
    quantity = parse_canonical(value) if isinstance(value, str) else None
    if quantity:
        return quantity.readable()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return str(value.get("kind", "see schema"))
    return "none" if value is None else str(value)


def _sentence(choice: Mapping[str, Any]) -> str:
    source = f" [{choice['x-source']}]" if "x-source" in choice else ""
    return f"{choice['description']}{source}"
