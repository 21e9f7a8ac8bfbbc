"""A plan as files that run it."""
