"""Compares the simulator with theory and writes docs/validation.md: ``make validate``."""
