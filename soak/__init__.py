"""An hour of everything on a real stack, and what grows meanwhile: `make soak`."""
