"""Limits of runs that several campaigns share."""

from windtunnel.spec.campaign import RunLimits, most_generous


def test_the_most_generous_limits_hold() -> None:
    strict = RunLimits(wall_seconds=10, memory_bytes=2**20, stall_seconds=1)
    loose = RunLimits(wall_seconds=90, memory_bytes=2**30, stall_seconds=600)
    assert most_generous([strict, loose]) == RunLimits(90, 2**30, 600)
    assert most_generous([strict]) == strict


def test_the_services_own_limits_are_the_most_generous() -> None:
    strict = RunLimits(wall_seconds=10, memory_bytes=2**20, stall_seconds=1)
    assert most_generous([strict, RunLimits()]) == RunLimits(None, None, 60)
    assert most_generous([RunLimits(), RunLimits()]) == RunLimits()
    assert most_generous([]) == RunLimits()
