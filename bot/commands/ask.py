"""/ask: questions about fine-tuning on rented GPUs, answered in the words of templates/faq."""

from bot.cards.answer import answer_card
from bot.cards.card import Card
from bot.commands.registry import Asking, command
from bot.grammar.command import Command


@command("ask")
def answer_ask(asked: Command, asking: Asking) -> Card:
    """The answer card for the text that was asked."""
    # The model and its weights load with the first question, not with the commands.
    from bot.faq.asking import ask

    return answer_card(ask(asking.text, asking.language, asking.catalog_file, asking.now))
