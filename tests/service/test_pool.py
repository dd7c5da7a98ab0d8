"""How asks are shared out among workers, and what happens when workers die, dawdle or are full."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hearten.dialogue import Turn
from hearten.errors import UserError
from hearten.service.engine import Answered, AnswerFailed, Ask, Happening, Piece, QueueFull, Served
from hearten.service.workers import pool as pool_module
from hearten.service.workers.pool import Pool, Size
from hearten.service.workers.worker import Tell

SERVED = (Served("toy", "toy", "", "toy@1", "abc"),)


class ToyWorker:
    """Does what the test tells it to."""

    def __init__(self) -> None:
        self.asks: list[Ask] = []
        self.dropped: list[str] = []
        self.is_stopped = False
        self.refuses = False

    async def start(self, tell: Tell, died: Callable[[], None]) -> tuple[Served, ...]:
        if self.refuses:
            raise UserError("no such system")
        self.tell, self.die = tell, died
        return SERVED

    def send(self, ask: Ask) -> None:
        self.asks.append(ask)

    def drop(self, ask: str) -> None:
        self.dropped.append(ask)

    def kill(self) -> None:
        self.die()

    async def stop(self) -> None:
        self.is_stopped = True

    def answer(self, *happenings: Happening | None) -> None:
        for happening in happenings:
            self.tell(self.asks[-1].id, happening)


class Shop:
    """A pool and all workers that it ever made."""

    def __init__(self, workers: int = 2, slots: int = 1, waiting: int = 2, seconds: float = 60.0) -> None:
        self.made: list[ToyWorker] = []
        self.pool = Pool(self._make, Size(workers, slots, waiting, seconds))

    def _make(self) -> ToyWorker:
        self.made.append(ToyWorker())
        return self.made[-1]

    def ask(self, name: str, conversation: str = "") -> "asyncio.Task[list[Happening]]":
        async def collect() -> list[Happening]:
            ask = Ask(name, "toy", (Turn("speaker", "hello"),), conversation=conversation)
            return [happening async for happening in self.pool.stream(ask)]

        return asyncio.ensure_future(collect())


def scene(act: Callable[[Shop], Awaitable[None]], **size: Any) -> None:
    async def play() -> None:
        shop = Shop(**size)
        await shop.pool.start()
        await act(shop)
        await shop.pool.stop()
        assert all(worker.is_stopped for worker in shop.pool.workers)  # type: ignore[attr-defined]

    asyncio.run(play())


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_asks_go_to_the_least_busy_worker_and_wait_when_all_are_busy() -> None:
    async def act(shop: Shop) -> None:
        tasks = [shop.ask(f"a{n}") for n in range(3)]
        await settle()
        one, two = shop.made
        assert [ask.id for ask in one.asks] == ["a0"] and [ask.id for ask in two.asks] == ["a1"]
        assert shop.pool.load.busy == 2 and shop.pool.load.waiting == 1
        two.answer(Answered("hi"))
        await settle()
        assert [ask.id for ask in two.asks] == ["a1", "a2"]
        one.answer(Answered("hi"))
        two.answer(Answered("hi"))
        assert [(await task)[-1] for task in tasks] == [Answered("hi")] * 3

    scene(act)


def test_a_conversation_goes_to_the_worker_that_knows_it() -> None:
    async def act(shop: Shop) -> None:
        blocker = shop.ask("blocker")
        await settle()
        first = shop.ask("first", "talk")
        await settle()
        shop.made[1].answer(Answered("hi"))
        shop.made[0].answer(Answered("hi"))
        await asyncio.gather(blocker, first)
        second = shop.ask("second", "talk")
        await settle()
        assert [ask.id for ask in shop.made[1].asks] == ["first", "second"]
        shop.made[1].answer(Answered("hi"))
        await second

    scene(act)


def test_a_full_queue_says_when_to_come_again() -> None:
    async def act(shop: Shop) -> None:
        shop.pool.require_room()
        tasks = [shop.ask(f"a{n}") for n in range(4)]
        await settle()
        with pytest.raises(QueueFull) as caught:
            shop.pool.require_room()
        assert 1 <= caught.value.seconds <= 60
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        shop.pool.require_room()
        assert shop.pool.load.busy == shop.pool.load.waiting == 0

    scene(act)


def test_the_ask_of_a_dead_worker_is_given_to_another_and_nothing_is_shown_twice() -> None:
    async def act(shop: Shop) -> None:
        task = shop.ask("a")
        await settle()
        dead = shop.made[0]
        dead.answer(Piece("I hear"))
        dead.die()
        await settle()
        other = shop.made[1]
        assert [ask.id for ask in other.asks] == ["a"]
        dead.answer(Answered("from beyond"))
        other.answer(Piece("I"), Piece(" hear"), Piece(" you."), Answered("I hear you."))
        assert await task == [Piece("I hear"), Piece(" you."), Answered("I hear you.")]
        assert shop.pool.load.restarts == 1 and len(shop.made) == 3 and shop.pool.load.workers == 2

    scene(act)


def test_a_reply_that_turns_out_otherwise_after_a_death_is_not_mixed_with_the_first() -> None:
    async def act(shop: Shop) -> None:
        task = shop.ask("a")
        await settle()
        shop.made[0].answer(Piece("I hear"))
        shop.made[0].die()
        await settle()
        shop.made[1].answer(Piece("Oh no"), Piece(", really?"), Answered("Oh no, really?"))
        assert await task == [Piece("I hear"), Answered("Oh no, really?")]

    scene(act)


def test_an_ask_that_kills_three_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "RESTART_PAUSES", (0.0,))

    async def act(shop: Shop) -> None:
        task = shop.ask("poison")
        for number in range(3):
            await settle()
            assert len(shop.made[number].asks) == 1
            shop.made[number].die()
        with pytest.raises(AnswerFailed, match="failed"):
            await task

    scene(act, workers=1)


def test_whoever_leaves_takes_the_ask_back() -> None:
    async def act(shop: Shop) -> None:
        running, waiting = shop.ask("running"), shop.ask("waiting")
        await settle()
        waiting.cancel()
        running.cancel()
        await asyncio.gather(running, waiting, return_exceptions=True)
        assert shop.made[0].dropped == ["running"] and [ask.id for ask in shop.made[0].asks] == ["running"]
        assert shop.pool.load.busy == shop.pool.load.waiting == 0

    scene(act, workers=1)


def test_a_worker_that_does_not_answer_is_replaced() -> None:
    async def act(shop: Shop) -> None:
        with pytest.raises(AnswerFailed, match="timeout"):
            await shop.ask("a")
        await settle()
        assert len(shop.made) == 2

    scene(act, workers=1, seconds=0.01)


def test_an_ask_that_fails_leaves_the_worker_alone() -> None:
    async def act(shop: Shop) -> None:
        task = shop.ask("a")
        await settle()
        shop.made[0].answer(None)
        with pytest.raises(AnswerFailed, match="failed"):
            await task
        assert shop.pool.load.restarts == 0 and shop.pool.is_ready

    scene(act, workers=1)


def test_asks_fail_when_the_pool_stops() -> None:
    async def act(shop: Shop) -> None:
        tasks = [shop.ask("a"), shop.ask("b")]
        await settle()
        await shop.pool.stop()
        for task in tasks:
            with pytest.raises(AnswerFailed, match="stopping"):
                await task

    scene(act, workers=1)


def test_a_system_that_cannot_be_loaded_is_told_at_the_start() -> None:
    async def play() -> None:
        shop = Shop()
        shop.made[1].refuses = True
        with pytest.raises(UserError, match="no such system"):
            await shop.pool.start()
        assert all(worker.is_stopped for worker in shop.made)

    asyncio.run(play())


def test_the_more_people_wait_the_less_work_a_reply_may_be() -> None:
    async def act(shop: Shop) -> None:
        tasks = [shop.ask(f"a{n}") for n in range(8)]
        await settle()
        [worker] = shop.made
        for _ in tasks:
            worker.answer(Answered("hi"))
            await settle()
        await asyncio.gather(*tasks)
        assert [one.effort for one in worker.asks] == ["full", *["least"] * 5, "quick", "full"]

    scene(act, workers=1, waiting=10)


def test_workers_explain_only_when_others_need_not_wait_for_it() -> None:
    async def act(shop: Shop) -> None:
        tasks = [shop.ask(f"a{n}") for n in range(3)]
        await settle()
        one, two = shop.made
        assert [one.asks[0].effort, two.asks[0].effort] == ["full", "quick"]
        two.answer(Answered("hi"))
        one.answer(Answered("hi"))
        await settle()
        (two if len(two.asks) > 1 else one).answer(Answered("hi"))
        await asyncio.gather(*tasks)

    scene(act)
