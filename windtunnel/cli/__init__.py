"""The ``windtunnel`` command."""
