"""Digests and watches: when they are due, and that each goes out once."""
