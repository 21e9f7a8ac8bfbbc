"""Watches of channels, and their crossings."""

import sqlalchemy as sa
from alembic import op

from bot.store.tables import UtcTime

revision = "0004_watches"
down_revision = "0003_subscriptions"


def upgrade() -> None:
    """Make the tables of watches."""
    op.create_table(
        "watches",
        sa.Column("id", sa.String(24)),
        sa.Column("surface", sa.String(8), nullable=False),
        sa.Column("place", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("creator", sa.String(64), nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("figure", sa.String(16), nullable=False),
        sa.Column("limit_usd", sa.Float, nullable=False),
        sa.Column("armed", sa.Boolean, nullable=False),
        sa.Column("last_usd", sa.Float, nullable=True),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("checked_until", UtcTime, nullable=False),
        sa.Column("crossings", sa.Integer, nullable=False),
        sa.Column("paused_because", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_watches"),
    )
    op.create_index("ix_watches_surface_place_channel", "watches", ["surface", "place", "channel"])
    op.create_index("ix_watches_checked_until", "watches", ["checked_until"])
    op.create_table(
        "crossings",
        sa.Column("watch", sa.String(24)),
        sa.Column("number", sa.Integer),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("dealt_with", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("watch", "number", name="pk_crossings"),
    )


def downgrade() -> None:
    """Take the tables of watches away."""
    for table in ("crossings", "watches"):
        op.drop_table(table)
