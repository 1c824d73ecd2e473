"""Sets the simulator against theory and writes docs/validation.md: ``make validate``."""
