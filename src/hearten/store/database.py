"""Opening a database: SQLite in a file of our own, or PostgreSQL by its address; and bringing its tables up to date."""

import sqlite3
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from hearten.errors import MissingExtra, UserError

PATIENCE_MS = 10_000
"""How long SQLite waits for a lock that somebody else (a backup, say) holds."""
READERS = 4


def parse(url: str) -> URL:
    """Read a database address; `postgresql://` means the driver that we use."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UserError("the database address cannot be read; write sqlite:///file.db or postgresql://...") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+pg8000")
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise UserError(f"'{parsed.get_backend_name()}' databases are not supported; use sqlite or postgresql")
    if is_sqlite(parsed) and parsed.database in (None, "", ":memory:"):
        raise UserError("a database in memory would forget what it acknowledged; name a file: sqlite:///file.db")
    return parsed


def is_sqlite(url: URL) -> bool:
    """Say whether this is a file of ours."""
    return url.get_backend_name() == "sqlite"


def open_writer(url: URL) -> Engine:
    """Return the engine of the only connection that writes."""
    engine = _create(url, poolclass=NullPool)
    if is_sqlite(url):
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
        event.listen(engine, "connect", _durable)
        event.listen(engine, "begin", lambda connection: _begin(connection, "BEGIN IMMEDIATE"))
    return engine


def open_readers(url: URL) -> Engine:
    """Return the engine of the connections that only read."""
    engine = _create(url, pool_size=READERS, max_overflow=0, pool_pre_ping=True)
    if is_sqlite(url):
        event.listen(engine, "connect", _reading)
        event.listen(engine, "begin", lambda connection: _begin(connection, "BEGIN"))
    return engine


def migrate(engine: Engine) -> None:
    """Bring the tables to the newest form."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                # Two servers that start at once must not both create the tables.
                connection.execute(text("SELECT pg_advisory_xact_lock(742019)"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or type(error).__name__).strip().partition("\n")[0]
        raise UserError(f"the database cannot be opened ({cause}); check its address and that it is running") from None


def _create(url: URL, **options: Any) -> Engine:
    try:
        # Parameters hold what people wrote and must never reach an error message or log.
        return create_engine(url, hide_parameters=True, **options)
    except ModuleNotFoundError:
        raise MissingExtra("PostgreSQL", "postgres") from None


def _durable(connection: sqlite3.Connection, _record: object) -> None:
    _common(connection)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _reading(connection: sqlite3.Connection, _record: object) -> None:
    _common(connection)
    connection.execute("PRAGMA query_only=ON").close()


def _common(connection: sqlite3.Connection) -> None:
    # Python's own habit of opening transactions late would break savepoints; we say BEGIN ourselves.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={PATIENCE_MS}").close()


def _begin(connection: Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)
