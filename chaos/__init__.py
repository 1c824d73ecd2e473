"""Faults, one after another and all at once, against a real stack: `make chaos`."""
