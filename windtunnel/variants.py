"""Names of the ns-3 simulator's builds: ``ns3``, releases (``ns3-3.43``), and variants of users.

Each name means one thing, so that building another never changes what ``ns3`` means.
"""

from __future__ import annotations

import re

from windtunnel.errors import Problem, SpecError

STANDARD = "ns3"
# The first is that of the plain name.
RELEASES = ("3.44", "3.43")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}")
_RELEASE_NAME = re.compile(r"ns3-([0-9]+\.[0-9]+)")


def variant_name(name: str | None, release: str | None, folder: str | None) -> str:
    """The name of a build of a release with the pairs of a folder. Raises SpecError.

    Without ``name`` it is ``ns3``, ``ns3-3.43`` or ``ns3-FOLDER``.
    """
    if release is not None and release not in RELEASES:
        raise _problem("--release", f"{release!r} is not one of {', '.join(RELEASES)}")
    plain = STANDARD if release is None else f"ns3-{release}"
    if name is None:
        name = plain if folder is None else f"ns3-{re.sub('[^a-z0-9.]+', '-', folder.lower())}"
    if not _NAME.fullmatch(name):
        message = f"{name!r} is not a name of up to 63 lower-case letters, digits, dots and dashes"
        raise _problem("--name", message)
    if (name == STANDARD or _RELEASE_NAME.fullmatch(name)) and (folder or name != plain):
        message = f"{name!r} always means ns-3 as it is shipped; choose another, such as ns3-mine"
        raise _problem("--name", message)
    return name


def build_command(name: str) -> str | None:
    """The command that builds a simulator of this name; None if it is not one of ns-3's."""
    release = _RELEASE_NAME.fullmatch(name)
    if name == STANDARD:
        return "windtunnel build"
    if release and release[1] in RELEASES:
        return f"windtunnel build --release {release[1]}"
    if name.startswith("ns3-") and not release:
        return f"windtunnel build DIR --name {name}"
    return None


def build_hint(name: str) -> str:
    """``; to build it: windtunnel build``, for the end of a message, or nothing."""
    command = build_command(name)
    return f"; to build it: {command}" if command else ""


def _problem(path: str, message: str) -> SpecError:
    return SpecError([Problem(path, message)])
