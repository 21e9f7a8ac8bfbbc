"""Watches: a plan or a price that a channel is told of once it gets under a limit."""
