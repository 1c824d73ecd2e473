"""Settings from the environment."""

import pytest

from windtunnel.settings import Settings


def test_values_have_the_types_of_their_defaults() -> None:
    settings = Settings.from_environment(
        {"WINDTUNNEL_SLOTS": "3", "WINDTUNNEL_LEASE_SECONDS": "2.5"}
    )
    assert (settings.slots, settings.lease_seconds) == (3, 2.5)
    assert settings.max_runs == Settings().max_runs


def test_an_invalid_number_is_rejected() -> None:
    with pytest.raises(ValueError, match="many"):
        Settings.from_environment({"WINDTUNNEL_SLOTS": "many"})
