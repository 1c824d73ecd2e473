"""Names of ns-3 simulator builds: ``ns3``, releases (``ns3-3.43``) and user-defined variants.

The names of stock builds are reserved: building a variant never changes what ``ns3`` means.
"""

from __future__ import annotations

import re

from windtunnel.errors import Problem, SpecError

STANDARD = "ns3"
# The first is the release of the plain name ``ns3``.
RELEASES = ("3.44", "3.43")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}")
_RELEASE_NAME = re.compile(r"ns3-([0-9]+\.[0-9]+)")


def variant_name(name: str | None, release: str | None, folder: str | None) -> str:
    """The name of a build of a release with a folder of extra sources. Raises SpecError.

    The default is ``ns3``, ``ns3-3.43`` or ``ns3-FOLDER``.
    """
    if release is not None and release not in RELEASES:
        message = f"unknown release {release!r} (expected {' or '.join(RELEASES)})"
        raise _problem("--release", message)
    stock_name = STANDARD if release is None else f"ns3-{release}"
    if name is None:
        name = stock_name if folder is None else f"ns3-{_slug(folder)}"
    if not _NAME.fullmatch(name):
        message = f"{name!r} must be 1 to 63 lower-case letters, digits, dots and dashes"
        raise _problem("--name", message)
    if (name == STANDARD or _RELEASE_NAME.fullmatch(name)) and (folder or name != stock_name):
        message = f"{name!r} is reserved for stock ns-3; choose another name, such as ns3-mine"
        raise _problem("--name", message)
    return name


def is_stock(name: str) -> bool:
    """Whether this is the name of an unmodified ns-3 that can be built."""
    release = _RELEASE_NAME.fullmatch(name)
    return name == STANDARD or bool(release and release[1] in RELEASES)


def build_command(name: str) -> str | None:
    """The command that builds a simulator of this name; None if it is not an ns-3 build."""
    release = _RELEASE_NAME.fullmatch(name)
    if name == STANDARD:
        return "windtunnel build"
    if release and release[1] in RELEASES:
        return f"windtunnel build --release {release[1]}"
    if name.startswith("ns3-") and not release:
        return f"windtunnel build DIR --name {name}"
    return None


def build_hint(name: str) -> str:
    """Suffix for an error message, such as ``; to build it: windtunnel build``, or empty."""
    command = build_command(name)
    return f"; to build it: {command}" if command else ""


def _slug(folder: str) -> str:
    return re.sub("[^a-z0-9.]+", "-", folder.lower())


def _problem(path: str, message: str) -> SpecError:
    return SpecError([Problem(path, message)])
