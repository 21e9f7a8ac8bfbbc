"""Workers and what one of them does at a time; digests that are wanted at once."""

import sqlalchemy as sa
from alembic import op

from bot.store.tables import UtcTime

revision = "0005_workers"
down_revision = "0004_watches"


def upgrade() -> None:
    """Make the tables of workers."""
    op.create_table(
        "workers",
        sa.Column("name", sa.String(64)),
        sa.Column("seen_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )
    op.create_table(
        "turns",
        sa.Column("job", sa.String(32)),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("until", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("job", name="pk_turns"),
    )
    op.add_column("subscriptions", sa.Column("wanted_at", UtcTime, nullable=True))


def downgrade() -> None:
    """Take the tables of workers away."""
    op.drop_column("subscriptions", "wanted_at")
    for table in ("turns", "workers"):
        op.drop_table(table)
