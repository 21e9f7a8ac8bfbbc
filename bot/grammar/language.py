"""Which language a message is in: the one whose own words it has more of."""

from bot.grammar.lexicon import meanings, scan
from bot.grammar.tokens import Tokens
from planner.query import Language


def detect(tokens: Tokens) -> Language:
    """English unless more words are only Indonesian than are only English."""
    scores = {"en": 0, "id": 0}
    for match in scan(tokens):
        words = [meanings(" ".join(token.text for token in match.tokens))]
        languages = {meaning.language for meaning in words[0]}
        if len(languages) == 1 and (only := languages.pop()):
            scores[only] += len(match.tokens)
    return "id" if scores["id"] > scores["en"] else "en"
