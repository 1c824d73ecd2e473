"""The simulator's own unit tests (GoogleTest) pass."""

from __future__ import annotations

import subprocess

import pytest

from tests.conftest import programs_of_tests


def test_the_simulators_unit_tests_pass() -> None:
    build = programs_of_tests()
    done = subprocess.run([build / "unit-tests"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(done.stdout[-4000:])
    assert "[  PASSED  ]" in done.stdout
