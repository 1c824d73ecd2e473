"""Names of builds are unambiguous."""

from __future__ import annotations

import pytest

from windtunnel.errors import SpecError
from windtunnel.variants import RELEASES, build_command, is_stock, variant_name


def test_stock_names() -> None:
    assert [is_stock(name) for name in ("ns3", f"ns3-{RELEASES[1]}")] == [True, True]
    assert [is_stock(name) for name in ("ns3-3.1", "ns3-mine", "tiny")] == [False, False, False]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((None, None, None), "ns3"),
        ((None, "3.43", None), "ns3-3.43"),
        ((None, None, "My Branch"), "ns3-my-branch"),
        (("ns3-mine", None, "x"), "ns3-mine"),
        (("ns3-mine", "3.43", "x"), "ns3-mine"),
        (("ns3-3.44", "3.44", None), "ns3-3.44"),
    ],
)
def test_names(arguments: tuple[str | None, str | None, str | None], name: str) -> None:
    assert variant_name(*arguments) == name


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("ns3", None, "x"), "'ns3' is reserved for stock ns-3"),
        (("ns3", "3.43", None), "'ns3' is reserved"),
        (("ns3-3.43", None, None), "'ns3-3.43' is reserved"),
        (("ns3-3.43", "3.43", "x"), "'ns3-3.43' is reserved"),
        (("Ns3!", None, "x"), "must be 1 to 63"),
        ((None, "3.39", None), "unknown release '3.39' .expected 3.44 or 3.43"),
    ],
)
def test_rejects_names_that_are_reserved_for_another_build(
    arguments: tuple[str | None, str | None, str | None], expected: str
) -> None:
    with pytest.raises(SpecError, match=expected):
        variant_name(*arguments)


def test_the_command_that_builds_a_name() -> None:
    assert build_command("ns3") == "windtunnel build"
    assert [build_command(f"ns3-{release}") for release in RELEASES] == [
        f"windtunnel build --release {release}" for release in RELEASES
    ]
    assert build_command("ns3-mine") == "windtunnel build DIR --name ns3-mine"
    assert build_command("ns3-1.0") is None
    assert build_command("htsim") is None
