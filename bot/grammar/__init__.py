"""Free text to a Command, in English and Indonesian: `read` is the one way in."""

from bot.grammar.reader import read

__all__ = ["read"]
