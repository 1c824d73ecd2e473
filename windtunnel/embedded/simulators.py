"""Build and install simulators for the process launcher, one folder per build."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.embedded.binaries import unpacked
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.progress import MessageCallback, Progress, run_with_progress, share
from windtunnel.errors import ContractError, UnavailableError
from windtunnel.resources import resource
from windtunnel.simulator import describe
from windtunnel.variants import RELEASES, STANDARD

PROGRAM = "windtunnel-ns3"
_NINJA_PROGRESS = re.compile(r"\[([0-9]+)/([0-9]+)\] ")
# Relative, so that the program and its digest contain no absolute path of this machine. Build and
# installation folders have the same depth.
_RPATH = "$ORIGIN/../../../binaries/{ns3}/ns3/lib64"


@dataclass(frozen=True)
class Variant:
    """A variant of the ns-3 simulator: its name, ns-3 release and folder of extra C++ sources."""

    name: str = STANDARD
    release: str = RELEASES[0]
    extra_sources: Path | None = None


def newest_simulator(folders: Folders, name: str = STANDARD) -> Path | None:
    """The most recently installed program, or None."""
    builds = sorted(
        (folders.simulators / name).glob("*/windtunnel-*"), key=lambda p: p.parent.stat().st_mtime
    )
    return builds[-1] if builds else None


def build_if_missing(folders: Folders, on_message: MessageCallback) -> None:
    """Build the standard simulator unless a build that this version understands is installed."""
    program = newest_simulator(folders)
    if program is not None:
        try:
            describe([str(program)])
        except ContractError:
            on_message(f"the installed simulator {STANDARD} is of an earlier version")
        except UnavailableError as error:
            on_message(str(error))
            program.unlink(missing_ok=True)  # a build of the same digest is not installed twice
        else:
            return
    build_ns3(folders, on_message)


def build_ns3(
    folders: Folders,
    on_message: MessageCallback,
    tests: bool = False,
    variant: Variant | None = None,
) -> Path:
    """Compile sim-images/ns3 and install it under its name and digest. Returns the program's path.

    Workers execute the installed program, so that a rebuild never changes one in use.
    """
    with (folders.builds / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # builds of one release share a folder
        return _build_and_install(folders, on_message, tests, variant or Variant())


def _build_and_install(
    folders: Folders, on_message: MessageCallback, tests: bool, variant: Variant
) -> Path:
    program = compile_ns3(folders, on_message, tests, variant=variant) / PROGRAM
    digest = describe([str(program)]).digest
    target = folders.simulators / variant.name / digest
    installed = target / program.name
    if not installed.exists():
        target.mkdir(parents=True, exist_ok=True)
        temporary = target / ".fresh"
        shutil.copy2(program, temporary)
        temporary.rename(installed)
        on_message(f"installed the simulator {variant.name} {digest[:8]}")
    os.utime(target)
    return installed


def compile_ns3(
    folders: Folders,
    on_message: MessageCallback,
    tests: bool = False,
    source: Path | None = None,
    variant: Variant | None = None,
) -> Path:
    """Run CMake and Ninja and return the build folder.

    ``source`` defaults to sim-images/ns3. Raises UnavailableError with the compiler's output.
    """
    source, variant = source or resource("sim-images/ns3"), variant or Variant()
    if shutil.which("g++") is None and shutil.which("c++") is None:
        raise UnavailableError("no C++ compiler found; to install one: apt-get install g++")
    # Resolved: the path is part of every compiler command, and another one compiles all again.
    ns3 = unpacked(folders, "ns3", on_message, variant.release).resolve()
    # Builds that differ in name and extra sources share a folder and nearly all object files.
    key = hashlib.sha256(f"{source}\0{variant.release}".encode()).hexdigest()[:12]
    build = (folders.builds / "ns3" / key).resolve()
    _discard_if_moved(build)
    build.mkdir(parents=True, exist_ok=True)
    step = f"compiling the simulator {variant.name}"
    on_message(f"{step} (the first time takes minutes)")
    tools = Path(sys.executable).parent
    configure: list[str] = [
        _tool(tools, "cmake"),
        *("-G", "Ninja", "-S", str(source), "-B", str(build)),
        f"-DCMAKE_MAKE_PROGRAM={_tool(tools, 'ninja')}",
        f"-DNS3_ROOT={ns3 / 'ns3'}",
        f"-DNS3_VERSION={variant.release}",
        f"-DSIMULATOR_NAME={variant.name}",
        f"-DEXTRA_SOURCES={variant.extra_sources or ''}",
        f"-DJSON_INCLUDE={_json_include()}",
        f"-DPROGRAM_RPATH={_RPATH.format(ns3=ns3.name)}",
        f"-DWINDTUNNEL_TESTS={'ON' if tests else 'OFF'}",
    ]
    progress = Progress(step, on_message)
    _run(configure, progress)
    _run([_tool(tools, "cmake"), "--build", str(build)], progress)
    return build


def _discard_if_moved(build: Path) -> None:
    """Delete a build folder that was created under another path: CMake refuses it."""
    cache = build / "CMakeCache.txt"
    if not cache.exists():
        return
    if f"CMAKE_CACHEFILE_DIR:INTERNAL={build}\n" not in cache.read_text(encoding="utf-8"):
        shutil.rmtree(build)


def _tool(folder: Path, name: str) -> str:
    """Path of a program in the virtual environment, else in PATH."""
    local = folder / name
    program = str(local) if local.exists() else shutil.which(name)
    if program is None:
        raise UnavailableError(f"{name} is missing; to install it: pip install 'windtunnel[local]'")
    return program


def _json_include() -> Path:
    import nlohmann_json  # type: ignore[import-untyped]

    return Path(nlohmann_json.__file__).resolve().parent / "include"


def _run(command: Sequence[str], progress: Progress) -> None:
    code, output = run_with_progress(command, progress, _build_state)
    if code != 0:
        tail = "\n".join(output[-30:])
        raise UnavailableError(f"building the simulator failed:\n{tail}")


def _build_state(line: str) -> str | None:
    """The state in a line of Ninja: ``[17/90] Building CXX object ...``."""
    match = _NINJA_PROGRESS.match(line)
    if match is None:
        return None
    done, total = int(match[1]), int(match[2])
    return f"{done} of {total} steps ({share(done, total)})"
