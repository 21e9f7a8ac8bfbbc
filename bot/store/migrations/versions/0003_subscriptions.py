"""Subscriptions of channels, and what became of each of their slots."""

import sqlalchemy as sa
from alembic import op

from bot.store.tables import UtcTime

revision = "0003_subscriptions"
down_revision = "0002_answers"


def upgrade() -> None:
    """Make the tables of digests."""
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.String(24)),
        sa.Column("surface", sa.String(8), nullable=False),
        sa.Column("place", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("creator", sa.String(64), nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("threshold_percent", sa.Float, nullable=False),
        sa.Column("only_on_change", sa.Boolean, nullable=False),
        sa.Column("weekdays", sa.String(7), nullable=False),
        sa.Column("times", sa.Text, nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("seen_until", UtcTime, nullable=False),
        sa.Column("paused_because", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_subscriptions"),
    )
    op.create_index(
        "ix_subscriptions_surface_place_channel", "subscriptions", ["surface", "place", "channel"]
    )
    op.create_table(
        "sends",
        sa.Column("subscription", sa.String(24)),
        sa.Column("slot", sa.String(24)),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("message", sa.String(64), nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("subscription", "slot", name="pk_sends"),
    )
    op.create_table(
        "told",
        sa.Column("subscription", sa.String(24)),
        sa.Column("prices", sa.Text, nullable=False),
        sa.Column("told_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("subscription", name="pk_told"),
    )


def downgrade() -> None:
    """Take the tables of digests away."""
    for table in ("told", "sends", "subscriptions"):
        op.drop_table(table)
