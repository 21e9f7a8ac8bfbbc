"""What a workspace or server, or one of its channels, has set."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Engine, delete, insert, select

from bot.store.asked import ChatName
from bot.store.tables import team_settings


class Where(NamedTuple):
    """Whose setting: a workspace or server, and a channel of it or "" for all."""

    surface: ChatName
    place: str
    channel: str = ""


def settings_of(store: Engine, where: Where) -> dict[str, str]:
    """What holds in `where`: a channel's own settings over those of its workspace or server."""
    table = team_settings
    with store.connect() as connection:
        rows = connection.execute(
            select(table.c.name, table.c.value)
            .where(table.c.surface == where.surface, table.c.place == where.place)
            .where(table.c.channel.in_(("", where.channel)))
            .order_by(table.c.channel)
        ).all()
    return {name: value for name, value in rows}


def set_value(
    store: Engine, where: Where, name: str, value: str | None, *, by: str, now: datetime
) -> None:
    """Set `name` in `where`; None takes the setting back."""
    key = {**where._asdict(), "name": name}
    table = team_settings
    with store.begin() as connection:
        connection.execute(
            delete(table).where(*(table.c[column] == part for column, part in key.items()))
        )
        if value is not None:
            connection.execute(insert(table).values(**key, value=value, set_by=by, set_at=now))
