"""The REST API: routes and wire schemas over windtunnel's queries. Thin."""
