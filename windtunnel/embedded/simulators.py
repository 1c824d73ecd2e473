"""Building sim images' programs for the process launcher, each build in a folder of its own."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.embedded.binaries import Say, unpacked
from windtunnel.embedded.folders import Folders
from windtunnel.errors import UnavailableError
from windtunnel.resources import resource
from windtunnel.simulator import describe
from windtunnel.variants import RELEASES, STANDARD

# From a build's or an installation's folder to the binaries, so that no absolute path of a machine
# gets into the program and its digest.
PROGRAM = "windtunnel-ns3"
_RPATH = "$ORIGIN/../../../binaries/{ns3}/ns3/lib64"


@dataclass(frozen=True)
class Variant:
    """A build of the ns-3 simulator: its name, ns-3's release, and a folder of C++ pairs."""

    name: str = STANDARD
    release: str = RELEASES[0]
    pairs: Path | None = None


def newest_simulator(folders: Folders, name: str = STANDARD) -> Path | None:
    """The program that was installed last, or None."""
    builds = sorted(
        (folders.simulators / name).glob("*/windtunnel-*"), key=lambda p: p.parent.stat().st_mtime
    )
    return builds[-1] if builds else None


def build_ns3(
    folders: Folders, say: Say, tests: bool = False, variant: Variant | None = None
) -> Path:
    """Compile sim-images/ns3 and install it under its name and digest; the installed program.

    Workers run from the installed folder, so that a rebuild never changes what runs.
    """
    with (folders.builds / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # builds that differ in their name alone share a folder
        return _build_and_install(folders, say, tests, variant or Variant())


def _build_and_install(folders: Folders, say: Say, tests: bool, variant: Variant) -> Path:
    program = compile_ns3(folders, say, tests, variant=variant) / PROGRAM
    digest = describe([str(program)]).digest
    target = folders.simulators / variant.name / digest
    installed = target / program.name
    if not installed.exists():
        target.mkdir(parents=True, exist_ok=True)
        fresh = target / ".fresh"
        shutil.copy2(program, fresh)
        fresh.rename(installed)
        say(f"installed the simulator {variant.name} {digest[:8]}")
    os.utime(target)
    return installed


def compile_ns3(
    folders: Folders,
    say: Say,
    tests: bool = False,
    source: Path | None = None,
    variant: Variant | None = None,
) -> Path:
    """Run CMake and ninja; the build folder. Raises UnavailableError with the compiler's words.

    ``source`` is the project's own if not given.
    """
    source, variant = source or resource("sim-images/ns3"), variant or Variant()
    if shutil.which("g++") is None and shutil.which("c++") is None:
        raise UnavailableError("a C++ compiler is missing: apt-get install g++")
    ns3 = unpacked(folders, "ns3", say, variant.release)
    # Builds that differ in their name alone share a folder, and all but one of their objects.
    parts = (str(source), variant.release, str(variant.pairs or ""))
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
    build = (folders.builds / "ns3" / key).resolve()
    _forget_if_moved(build)
    build.mkdir(parents=True, exist_ok=True)
    say(f"compiling the simulator {variant.name} (about a minute the first time)")
    tools = Path(sys.executable).parent
    configure: list[str] = [
        _tool(tools, "cmake"),
        *("-G", "Ninja", "-S", str(source), "-B", str(build)),
        f"-DCMAKE_MAKE_PROGRAM={_tool(tools, 'ninja')}",
        f"-DNS3_ROOT={ns3 / 'ns3'}",
        f"-DNS3_VERSION={variant.release}",
        f"-DSIMULATOR_NAME={variant.name}",
        f"-DEXTRA_SOURCES={variant.pairs or ''}",
        f"-DJSON_INCLUDE={_json_include()}",
        f"-DPROGRAM_RPATH={_RPATH.format(ns3=ns3.name)}",
        f"-DWINDTUNNEL_TESTS={'ON' if tests else 'OFF'}",
    ]
    _run(configure)
    _run([_tool(tools, "cmake"), "--build", str(build)])
    return build


def _forget_if_moved(build: Path) -> None:
    """CMake refuses a build folder that was made under another path: begin anew."""
    cache = build / "CMakeCache.txt"
    if not cache.exists():
        return
    if f"CMAKE_CACHEFILE_DIR:INTERNAL={build}\n" not in cache.read_text(encoding="utf-8"):
        shutil.rmtree(build)


def _tool(folder: Path, name: str) -> str:
    """A program of the virtual environment, else of the machine."""
    own = folder / name
    found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        raise UnavailableError(f"{name} is missing: pip install 'windtunnel[local]'")
    return found


def _json_include() -> Path:
    import nlohmann_json  # type: ignore[import-untyped]

    return Path(nlohmann_json.__file__).parent / "include"


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-30:])
        raise UnavailableError(f"building the simulator failed:\n{tail}")
