"""The one thread that writes. Whatever waits is written in one transaction: one fsync for many turns.

A piece of work is acknowledged (its future resolved) only after the commit that holds it.
"""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hearten.store.events import StoreError, StoreFull

Result = TypeVar("Result")
TOGETHER = 256
"""Pieces of work in one transaction at the most."""
RECONNECT_SECONDS = 10.0
"""How long a lost server is waited for before work is refused."""


@dataclass
class _Work:
    run: Callable[[Connection], Any]
    is_erasure: bool = False
    done: Future[Any] = field(default_factory=Future)
    outcome: Any = None
    mistake: Exception | None = None


class Writer:
    """Takes work from any thread and does it in the order of arrival."""

    def __init__(self, engine: Engine, pause: Callable[[float], None] = time.sleep) -> None:
        self._engine, self._pause = engine, pause
        self._waiting: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._connection: Connection | None = None
        self._closed = threading.Event()
        self.commits = 0
        """How many transactions were needed so far."""
        self._thread = threading.Thread(target=self._loop, name="writer", daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[Connection], Result], is_erasure: bool = False) -> "Future[Result]":
        """Queue work; the future has its result once it is committed. An erasure also leaves the log of SQLite."""
        work = _Work(run, is_erasure)
        if self._closed.is_set():
            work.done.set_exception(StoreError("the store is closed"))
        else:
            self._waiting.put(work)
        return work.done

    def close(self) -> None:
        """Finish what waits, then stop."""
        if not self._closed.is_set():
            self._closed.set()
            self._waiting.put(None)
        self._thread.join()

    def _loop(self) -> None:
        is_open = True
        while is_open:
            batch, is_open = self._gathered()
            if batch:
                self._commit_all(batch)
        self._drop()

    def _gathered(self) -> tuple[list[_Work], bool]:
        """Wait for work, and take along all that is there already."""
        batch: list[_Work] = []
        item = self._waiting.get()
        while item is not None:
            if item.done.set_running_or_notify_cancel():
                batch.append(item)
            if len(batch) == TOGETHER or self._waiting.empty():
                return batch, True
            item = self._waiting.get()
        return batch, False

    def _commit_all(self, batch: list[_Work]) -> None:
        mistake = self._attempts(batch)
        for work in batch:
            failed = mistake or work.mistake
            if failed:
                work.done.set_exception(failed)
            else:
                work.done.set_result(work.outcome)

    def _attempts(self, batch: list[_Work]) -> Exception | None:
        """Commit, and once more as long as the database server may come back; say why if it did not work."""
        given_up = time.monotonic() + RECONNECT_SECONDS
        while True:
            try:
                self._commit(batch)
                if any(work.is_erasure for work in batch):
                    self._empty_log()
                return None
            except Exception as error:
                self._drop()
                if not _is_lost(error) or time.monotonic() > given_up:
                    return _named(error)
                self._pause(0.2)

    def _commit(self, batch: list[_Work]) -> None:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            for work in batch:
                work.mistake = None
                try:
                    with self._connection.begin_nested():
                        work.outcome = work.run(self._connection)
                except Exception as error:
                    if isinstance(error, DBAPIError) and (_is_lost(error) or _is_full(error)):
                        raise
                    work.mistake = _named(error)
        self.commits += 1

    def _empty_log(self) -> None:
        """Move what SQLite keeps in its log into the file, where erased text is overwritten, and cut the log."""
        if self._connection is not None and self._connection.dialect.name == "sqlite":
            raw = self._connection.connection.driver_connection
            assert raw is not None
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()

    def _drop(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except SQLAlchemyError:
                self._connection.invalidate()
            self._connection = None


def _is_lost(error: Exception) -> bool:
    """Say whether the connection broke, or could not be made; SQLite has none to lose."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or _is_refused(error.orig)


def _is_refused(error: object) -> bool:
    """Say whether PostgreSQL cannot be reached, or sends everybody away (it starts, stops or crashed: class 57P)."""
    kind = type(error)
    if not kind.__module__.startswith("pg8000"):
        return False
    told = next(iter(getattr(error, "args", ())), None)
    code = str(told.get("C", "")) if isinstance(told, dict) else ""
    return kind.__name__ == "InterfaceError" or code.startswith("57P")


def _is_full(error: DBAPIError) -> bool:
    text = str(error.orig).lower()
    return "disk is full" in text or "no space left" in text or "disk full" in text


def _named(error: Exception) -> Exception:
    """Return what callers are told; the database's own words may quote what people wrote."""
    if isinstance(error, DBAPIError):
        if _is_full(error):
            return StoreFull("the disk is full")
        return StoreError(f"the database refused: {type(error.orig).__name__}")
    return error


def translated(error: SQLAlchemyError) -> Exception:
    """Return what a failed reading is called."""
    return (
        _named(error) if isinstance(error, DBAPIError) else StoreError(f"the database failed: {type(error).__name__}")
    )
