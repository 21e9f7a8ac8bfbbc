"""What can be done with an answer: the buttons under its card, and what each of them asks."""

import re

from bot.cards.bodies import OptionsBody
from bot.cards.card import Card, Kind
from bot.commands.registry import all_commands
from bot.grammar.command import CommandName
from bot.store.asked import Asked
from planner.plan.result import Label

#: What needs no command: a form with the question in it, the rest of a long card, showing it to
#: the channel. Every other action is a command of that name over the same question, or another
#: option of the same plan.
CHANGE, MORE, SHARE = "change", "more", "share"
#: What people say of an answer they did not ask for.
HELPFUL, UNHELPFUL = "helpful", "unhelpful"
#: Watches the price of the question, under what it is now.
WATCH = "watch"
CHEAPER, FASTER = "cheaper", "faster"
_OPTIONS: dict[str, Label] = {CHEAPER: "cheapest_hour", FASTER: "fastest"}
_UNDER: dict[Kind, tuple[str, ...]] = {
    "fit": (CHANGE, CHEAPER, FASTER, "compare", WATCH, "recipe", "explain"),
    "compare": (CHANGE,),
    "explain": (CHANGE,),
    "recipe": (CHANGE,),
    "prices": (CHANGE,),
}
#: What a command is asked beside the question itself: comparing one job takes several ways to it.
_ASKED_BESIDE = {"compare": "full vs lora vs qlora"}
_COMMAND = re.compile(r"^/\w+\s*")


def actions_under(card: Card, *, shareable: bool, is_cut: bool) -> tuple[str, ...]:
    """What the buttons under `card` do, in order."""
    if command_of(card) is None:
        return ()
    known = {CHANGE, *all_commands(), *(one for one in _OPTIONS if _option(card, one))}
    actions = [action for action in _UNDER.get(card.kind, ()) if action in known]
    if is_cut:
        actions.append(MORE)
    if shareable:
        actions.append(SHARE)
    return tuple(actions)


def command_of(card: Card) -> CommandName | None:
    """The command that gives this kind of card; None where there is no question to ask again."""
    if card.kind == "notice" or card.kind == "help":
        return None
    return "ask" if card.kind == "answer" else card.kind


def needs_the_card(action: str) -> bool:
    """Whether `asked_by` has to see the answer's card."""
    return action in _OPTIONS


def asked_by(action: str, question: Asked, card: Card | None = None) -> str:
    """The text that `action` under the answer to `question` asks.

    Another option is the same question on its machine, at its provider: what the question says of
    cards is left to the later word.
    """
    if action in _OPTIONS:
        machine = _option(card, action) if card else ""
        return f"/fit {question.text} {machine}".strip()
    return " ".join(f"/{action} {question.text} {_ASKED_BESIDE.get(action, '')}".split())


def full_text(question: Asked) -> str:
    """`question` as it is typed, with its command."""
    return f"/{question.command} {question.text}".strip()


def without_command(text: str) -> str:
    """`text` without the name of the command it begins with."""
    return _COMMAND.sub("", text)


def as_command(text: str, command: CommandName) -> str:
    """`text` as a question to `command`, unless it names one itself."""
    return text if text.startswith("/") else f"/{command} {text}"


def _option(card: Card, action: str) -> str:
    """The words for the machine of another option; "" where the card shows none."""
    bodies = (section.body for section in card.sections)
    options = next((body.options for body in bodies if isinstance(body, OptionsBody)), ())
    wanted = next((one for one in options if one.label == _OPTIONS[action]), None)
    if wanted is None:
        return ""
    return f"on {wanted.gpu_count}x {wanted.gpu} provider={wanted.provider.split(' (')[0]}"
