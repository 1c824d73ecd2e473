"""Clients of the service's REST API."""
