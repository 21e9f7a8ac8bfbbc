"""What a press of a button, or a form that comes back, does."""

import asyncio
from typing import Any

from discord import Interaction

from bot.actions import CHANGE, HELPFUL, MORE, SHARE, UNHELPFUL, WATCH, as_command
from bot.changing import form_of
from bot.discord.answers import Answers
from bot.discord.asking import asker_of, has_company
from bot.discord.commands import MAX_TEXT
from bot.discord.forms import ChangeForm, text_of
from bot.discord.showing import Outgoing, show, tell
from bot.discord.watches import watch_cheaper
from bot.language import words
from bot.settings import answer_settings
from bot.store.asked import Asked
from bot.store.deliveries import take


async def pressed(answers: Answers, interaction: Interaction[Any], action: str, key: str) -> None:
    """Answer a press: the presser alone sees it, whoever's card it was."""
    if action == CHANGE:
        await _open_form(answers, interaction, key)
    elif action in (HELPFUL, UNHELPFUL):
        await interaction.response.defer()
        known = await answers.voted(key, asker_of(interaction), action == HELPFUL)
        await _say(answers, interaction, "actions.thanks" if known else "actions.too_old")
    elif action == SHARE:
        await _share(answers, interaction, key)
    else:
        await _ask_more(answers, interaction, action, key)


async def sent(answers: Answers, interaction: Interaction[Any], key: str) -> None:
    """Answer a form: the question it holds, asked anew."""
    asker = asker_of(interaction)
    await interaction.response.defer(ephemeral=has_company(interaction), thinking=True)
    question = await answers.question(key)
    text = as_command(text_of(interaction.data), question.command if question else "fit")
    await show(interaction, await answers.to(text, asker, private=True))


async def _open_form(answers: Answers, interaction: Interaction[Any], key: str) -> None:
    question = await answers.question(key)
    if question is None:
        await _say(answers, interaction, "actions.too_old")
    else:
        rate = 1 / answer_settings().idr_per_usd
        parts = await asyncio.to_thread(form_of, question, rate, MAX_TEXT)
        await interaction.response.send_modal(ChangeForm(parts, question.language, key))


async def _ask_more(answers: Answers, interaction: Interaction[Any], action: str, key: str) -> None:
    asker = asker_of(interaction)
    await interaction.response.defer(ephemeral=has_company(interaction), thinking=True)
    press = (asker.person, f"{action}:{key}")
    if press in answers.under_way:
        await _say(answers, interaction, "actions.pressed_twice")
        return
    answers.under_way.add(press)
    try:
        question = await answers.question(key)
        if question is None:
            await _say(answers, interaction, "actions.too_old")
        else:
            await show(interaction, await _answer(answers, interaction, question, action))
    finally:
        answers.under_way.discard(press)


async def _answer(
    answers: Answers, interaction: Interaction[Any], question: Asked, action: str
) -> Outgoing:
    if action == MORE:
        return await answers.rest(question)
    if action == WATCH:
        return await watch_cheaper(answers, interaction, question)
    return await answers.acted(action, question, asker_of(interaction))


async def _share(answers: Answers, interaction: Interaction[Any], key: str) -> None:
    """Show the channel what its asker alone has seen, once."""
    asker = asker_of(interaction)
    await interaction.response.defer()
    question = await answers.question(key)
    if question is None:
        await _say(answers, interaction, "actions.too_old")
    elif (question.asker, question.place) != (asker.person, asker.server):
        await _say(answers, interaction, "actions.not_yours")
    else:
        out = await answers.shared(question, asker)
        delivery = f"share:{key}"
        if await asyncio.to_thread(take, answers.store, "discord", delivery, answers.now()):
            await interaction.followup.send(view=out.view, files=out.files)
        else:
            await _say(answers, interaction, "actions.shared_already")


async def _say(answers: Answers, interaction: Interaction[Any], code: str) -> None:
    say = words(await answers.language(asker_of(interaction)))
    await tell(interaction, say.t(code))
