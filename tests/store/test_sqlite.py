"""What is special about SQLite: durability, one server, erased text, a full disk."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from hearten.errors import UserError
from hearten.store.events import Fact, StoreFull
from hearten.store.store import Store

SECRET = "a sentence that must vanish"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "service.db"


def opened(place: Path) -> Store:
    return Store(f"sqlite:///{place}")


def said(text: str) -> list[Fact]:
    begun = Fact("conversation", "ann", "talk", body={"system": "toy"}, id="talk")
    return [begun, Fact("turn", "ann", "talk", body={"role": "speaker", "text": text})]


def test_the_writer_waits_for_the_disk_and_readers_do_not_wait_for_it(place: Path) -> None:
    store = opened(place)
    found = store._writer.submit(
        lambda connection: [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")
        ]
    ).result()
    store.close()
    assert found == ["wal", 2]


def test_many_writers_share_commits(place: Path) -> None:
    async def scene(store: Store) -> int:
        before = commits(store)
        await asyncio.gather(*(store.append(Fact("consent", "ann", body={"research": True})) for _ in range(200)))
        return commits(store) - before

    def commits(store: Store) -> int:
        return store._writer.commits

    store = opened(place)
    used = asyncio.run(scene(store))
    store.close()
    assert 1 <= used < 100


def test_a_second_server_on_the_same_file_is_turned_away(place: Path) -> None:
    first = opened(place)
    with pytest.raises(UserError, match="another server uses this database"):
        opened(place)
    first.close()
    opened(place).close()


def test_erased_text_is_in_no_file_any_more(place: Path) -> None:
    store = opened(place)
    asyncio.run(store.append(*said(SECRET)))
    assert any(SECRET.encode() in path.read_bytes() for path in place.parent.iterdir())
    asyncio.run(store.forget_visitor("ann"))
    assert not any(SECRET.encode() in path.read_bytes() for path in place.parent.iterdir())
    store.close()


def test_a_full_disk_is_said_plainly_and_passes(place: Path) -> None:
    store = opened(place)

    def limit(pages: int) -> None:
        store._writer.submit(lambda connection: connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")).result()

    limit(1)
    with pytest.raises(StoreFull):
        asyncio.run(store.append(*said("x" * 100_000)))
    assert asyncio.run(store.entries("ann")) == [], "reading still works"
    limit(100_000)
    asyncio.run(store.append(*said("x" * 100_000)))
    assert len(asyncio.run(store.entries("ann"))) == 1
    store.close()


def test_errors_of_the_database_do_not_quote_people(place: Path) -> None:
    store = opened(place)
    with pytest.raises(Exception, match=r"\w") as caught:
        asyncio.run(store.append(Fact("turn", "ann", None, body={"text": SECRET, "bad": object()})))
    store.close()
    assert SECRET not in str(caught.value)


def test_a_lock_held_by_somebody_else_is_waited_for(place: Path) -> None:
    store = opened(place)
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def scene() -> None:
        writing = asyncio.ensure_future(store.append(*said("patience")))
        done, _ = await asyncio.wait([writing], timeout=0.2)
        assert not done
        other.execute("COMMIT")
        await writing

    asyncio.run(scene())
    other.close()
    store.close()
