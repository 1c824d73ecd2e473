"""The REST API: a thin layer of routes and wire schemas over windtunnel's queries."""
