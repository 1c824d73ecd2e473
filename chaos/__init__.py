"""Injects faults into a real stack, one at a time and all together: `make chaos`."""
