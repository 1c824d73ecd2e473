"""Windtunnel: a wind tunnel for TCP congestion control."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("windtunnel")
except PackageNotFoundError:  # a checkout that was never installed
    __version__ = "0+unknown"
