"""The simulator's own unit tests (GoogleTest) pass."""

from __future__ import annotations

import subprocess

import pytest

from tests.conftest import BUILT
from windtunnel.embedded.simulators import compile_ns3


def test_the_simulators_unit_tests_pass() -> None:
    build = compile_ns3(BUILT, lambda _: None, tests=True)
    done = subprocess.run([build / "unit-tests"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(done.stdout[-4000:])
    assert "[  PASSED  ]" in done.stdout
