"""Answers given unasked, and what people said of them."""

import sqlalchemy as sa
from alembic import op

from bot.store.tables import UtcTime

revision = "0002_answers"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables of unasked answers."""
    op.create_table(
        "unasked_answers",
        sa.Column("id", sa.String(24)),
        sa.Column("surface", sa.String(8), nullable=False),
        sa.Column("place", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("thread", sa.String(64), nullable=False),
        sa.Column("topic", sa.String(64), nullable=False),
        sa.Column("answered_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_unasked_answers"),
        sa.UniqueConstraint(
            "surface", "channel", "thread", name="uq_unasked_answers_surface_channel_thread"
        ),
    )
    op.create_table(
        "votes",
        sa.Column("answer", sa.String(24)),
        sa.Column("person", sa.String(64)),
        sa.Column("helpful", sa.Boolean, nullable=False),
        sa.Column("voted_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("answer", "person", name="pk_votes"),
        sa.ForeignKeyConstraint(
            ["answer"], ["unasked_answers.id"], name="fk_votes_answer_unasked_answers"
        ),
    )


def downgrade() -> None:
    """Take the tables of unasked answers away."""
    op.drop_table("votes")
    op.drop_table("unasked_answers")
