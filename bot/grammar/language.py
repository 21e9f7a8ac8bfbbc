"""Which language a message is in: the one whose own words it has more of."""

import re

from bot.grammar.lexicon import meanings, scan
from bot.grammar.spelling import respelled
from bot.grammar.tokens import tokenise
from planner.query import Language

_KEY = re.compile(r"[\w-]+=")
_GLUED_UNIT = re.compile(r"(?<=\d)(?=[a-z])|(?=/)|(?<=\brp)(?=\d)", re.IGNORECASE)


def detect(text: str, otherwise: Language = "en") -> Language:
    """The language more of whose own words the text has; `otherwise` where it does not tell. A
    letter alone ("2x") is no word of either.
    """
    spread = _GLUED_UNIT.sub(" ", _KEY.sub(" ", text))
    scores = {"en": 0, "id": 0}
    for match in scan(respelled(tokenise(spread, lambda word: (word,)))):
        phrase = " ".join(token.text for token in match.tokens)
        languages = {meaning.language for meaning in meanings(phrase)}
        if len(phrase) > 1 and len(languages) == 1 and (only := languages.pop()):
            scores[only] += len(match.tokens)
    if scores["id"] == scores["en"]:
        return otherwise
    return "id" if scores["id"] > scores["en"] else "en"
