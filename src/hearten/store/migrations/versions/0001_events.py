"""The table of events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create it."""
    op.create_table(
        "events",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(40), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("visitor", sa.String(40), nullable=False),
        sa.Column("conversation", sa.String(40)),
        sa.Column("about", sa.String(40)),
        sa.Column("key", sa.String(240)),
        sa.Column("model", sa.String(200)),
        sa.Column("config", sa.String(64)),
        sa.Column("body", sa.JSON, nullable=False),
        sa.UniqueConstraint("visitor", "key", name="once"),
        sqlite_autoincrement=True,
    )
    op.create_index("events_of_conversation", "events", ["conversation", "seq"])
    op.create_index("events_of_visitor", "events", ["visitor", "kind"])
    op.create_index("events_of_kind", "events", ["kind", "seq"])
    op.create_index("events_about", "events", ["about"])


def downgrade() -> None:
    """Remove it."""
    op.drop_table("events")
