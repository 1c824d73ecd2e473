"""Windtunnel: a wind tunnel for TCP congestion control."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windtunnel.client.campaign import Campaign
    from windtunnel.client.session import Client

__all__ = ["Campaign", "Client", "__version__"]

try:
    __version__ = version("windtunnel")
except PackageNotFoundError:  # a checkout that was never installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    """Client and Campaign, imported when they are used: workers and the API need neither."""
    if name == "Client":
        from windtunnel.client.session import Client

        return Client
    if name == "Campaign":
        from windtunnel.client.campaign import Campaign

        return Campaign
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
