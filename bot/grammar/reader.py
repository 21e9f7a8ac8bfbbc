"""The whole reading: text to Command, one small reader after the other, each taking its words.

Notes say which defaults were taken and name every word that was not understood.
"""

from bot.grammar import alternatives, keys, spelling
from bot.grammar.assemble import Readings, asks_for_model, assemble
from bot.grammar.command import Command
from bot.grammar.glued import split_word
from bot.grammar.gpu import read_gpus
from bot.grammar.intent import read_command
from bot.grammar.language import detect
from bot.grammar.leftover import not_understood
from bot.grammar.model import hub_ids, read_closed, read_models, with_hub_ids
from bot.grammar.money import read_money
from bot.grammar.normalise import LONGEST_TEXT, normalise
from bot.grammar.phrases import read_phrases
from bot.grammar.place import read_place
from bot.grammar.quantities import read_quantities
from bot.grammar.tokens import Tokens, replaced, tokenise, without
from planner.notes import Note, note
from planner.query import Language


def read(text: str, *, usd_per_idr: float, reader: Language) -> Command:
    """The command a text asks for; BadInput names what cannot be read and what to write instead."""
    notes: list[Note] = []
    if len(text) > LONGEST_TEXT:
        notes.append(note("grammar.too_long", characters=len(text), read=LONGEST_TEXT))
    plain = normalise(text)
    language = detect(plain, reader)
    found = keys.read_keys(plain, language, usd_per_idr)
    tokens = tokenise(found.rest, split_word)
    typed = read_command(tokens, found.rest.startswith("/"))
    tokens, said = alternatives.split_slashes(spelling.respelled(typed.rest))
    readings = _readings(tokens, language, usd_per_idr)
    unknown = not_understood(readings.rest)
    if unknown:
        tokens, corrections = _corrected(tokens, unknown)
        notes.extend(corrections)
        readings = _readings(tokens, language, usd_per_idr) if tokens else readings
        readings = _with_hub_models(readings, asks_for_model(typed.command, found.words))
    return assemble(readings, found, typed.command, language, (*notes, *found.notes, *said))


def _corrected(tokens: Tokens, unknown: Tokens) -> tuple[Tokens, tuple[Note, ...]]:
    """The tokens with unknown words taken apart or spelt as meant; none where nothing changed."""
    words = dict(alternatives.split_dashes(unknown))
    whole = tuple(token for token in unknown if token.position not in words)
    notes: list[Note] = []
    for position, meant in spelling.corrected(whole).items():
        words[position] = (meant,)
        typed = next(token.raw for token in unknown if token.position == position)
        notes.append(note("grammar.read_as", typed=typed, meant=meant))
    return (replaced(tokens, words) if words else ()), tuple(notes)


def _with_hub_models(found: Readings, is_asked_for: bool) -> Readings:
    """The readings with the ids that only the hub may know."""
    if found.models.models:
        return found
    named = hub_ids(not_understood(found.rest), is_asked_for)
    rest = without(found.rest, named)
    return found._replace(models=with_hub_ids(found.models, named), rest=rest)


def _readings(tokens: Tokens, language: Language, usd_per_idr: float) -> Readings:
    everything = tokens
    money = read_money(tokens, language, usd_per_idr)
    quantities = read_quantities(money.rest)
    closed, rest = read_closed(quantities.rest)
    models = read_models(rest, quantities.parameters)
    gpus = read_gpus(models.rest)
    phrases = read_phrases(gpus.rest)
    place = read_place(phrases.rest)
    return Readings(everything, money, quantities, closed, models, gpus, place, phrases, place.rest)
