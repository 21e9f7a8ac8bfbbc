"""What the readers of a subscription were last told of."""

from datetime import datetime

from sqlalchemy import delete, insert, select

from bot.store.engine import Store
from bot.store.tables import told


def last_told(store: Store, subscription: str) -> tuple[str, datetime] | None:
    """What was kept by `keep_told`, and when; None before the first digest."""
    with store.connect() as connection:
        row = connection.execute(
            select(told.c.prices, told.c.told_at).where(told.c.subscription == subscription)
        ).first()
    return None if row is None else (row.prices, row.told_at)


def keep_told(store: Store, subscription: str, prices: str, now: datetime) -> None:
    """Keep `prices` in place of what was told before."""
    with store.begin() as connection:
        connection.execute(delete(told).where(told.c.subscription == subscription))
        connection.execute(
            insert(told).values(subscription=subscription, prices=prices, told_at=now)
        )
