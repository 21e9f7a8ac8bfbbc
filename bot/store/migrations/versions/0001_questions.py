"""Questions behind buttons, deliveries that were taken, settings of teams."""

import sqlalchemy as sa
from alembic import op

from bot.store.tables import UtcTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "asked",
        sa.Column("id", sa.String(24)),
        sa.Column("command", sa.String(16), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("surface", sa.String(8), nullable=False),
        sa.Column("place", sa.String(64), nullable=False),
        sa.Column("asker", sa.String(64), nullable=False),
        sa.Column("asked_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_asked"),
    )
    op.create_index("ix_asked_asked_at", "asked", ["asked_at"])
    op.create_table(
        "deliveries",
        sa.Column("surface", sa.String(8)),
        sa.Column("id", sa.String(128)),
        sa.Column("taken_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("surface", "id", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_taken_at", "deliveries", ["taken_at"])
    op.create_table(
        "team_settings",
        sa.Column("surface", sa.String(8)),
        sa.Column("place", sa.String(64)),
        sa.Column("channel", sa.String(64)),
        sa.Column("name", sa.String(32)),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("set_by", sa.String(64), nullable=False),
        sa.Column("set_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("surface", "place", "channel", "name", name="pk_team_settings"),
    )


def downgrade() -> None:
    """Take the first tables away."""
    for table in ("team_settings", "deliveries", "asked"):
        op.drop_table(table)
