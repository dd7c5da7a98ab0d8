"""What is special about PostgreSQL: it may go away and come back."""

import asyncio
import threading
from typing import Any
from uuid import uuid4

from hearten.store.events import Fact
from hearten.store.store import Store


def note(number: int) -> Fact:
    return Fact("consent", "ann", body={"research": True}, key=f"k{number}")


def test_a_server_that_is_restarted_loses_nothing_and_refuses_nothing(server: Any) -> None:
    store = Store(server.new_database(f"t{uuid4().hex}"))

    async def scene() -> list[str]:
        before = await store.append(note(0))
        server.stop()
        back = threading.Thread(target=server.start)
        waiting = [asyncio.ensure_future(store.append(note(number))) for number in range(1, 5)]
        await asyncio.sleep(0)
        back.start()
        after = await asyncio.gather(*waiting)
        await asyncio.to_thread(back.join)
        return [before[0].id, *(one.id for [one] in after)]

    acknowledged = asyncio.run(scene())
    found = {name: asyncio.run(store.append(note(number)))[0].id for number, name in enumerate(acknowledged)}
    store.close()
    assert all(name == stored for name, stored in found.items())


def test_two_servers_can_share_a_database(server: Any) -> None:
    url = server.new_database(f"t{uuid4().hex}")
    one, two = Store(url), Store(url)

    async def scene() -> None:
        for number in range(50):
            [first], [second] = await asyncio.gather(one.append(note(number)), two.append(note(number)))
            assert first.id == second.id, "the same key is the same event for both"

    asyncio.run(scene())
    one.close()
    two.close()
