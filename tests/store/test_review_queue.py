"""What the operator sees of reports, edits and corrections, on both databases."""

import asyncio
from typing import Any

from hearten.store.events import Fact, Recorded
from hearten.store.review import Review
from hearten.store.store import Store


def run(coroutine: Any) -> Any:
    return asyncio.run(coroutine)


async def talk(store: Store, visitor: str, name: str, consents: bool) -> tuple[Recorded, Recorded]:
    """Store one exchange, and what the person thinks of research."""
    _, asked, _ = await store.append(
        Fact("conversation", visitor, name, body={"system": "toy"}, id=name),
        Fact("turn", visitor, name, body={"role": "speaker", "text": f"{name} asks"}),
        Fact("consent", visitor, body={"research": consents}),
    )
    body = {"role": "listener", "text": f"{name} answers"}
    [reply] = await store.append(Fact("turn", visitor, name, asked.id, body, None, "toy@1", "abc"))
    return asked, reply


def test_an_item_comes_with_its_context_and_leaves_the_queue_when_decided(store: Store) -> None:
    async def scene() -> None:
        review = Review(store)
        _, reply = await talk(store, "ann", "talk", consents=False)
        about = Fact("report", "ann", "talk", reply.id, {"reason": "hurtful", "note": "ouch"}, None, "toy@1", "abc")
        [report] = await store.append(about)
        [item] = await review.items(["open"])
        assert (item.event.id, item.text, item.context) == (report.id, "talk answers", [("speaker", "talk asks")])
        assert item.is_reported and not item.has_consent and item.event.model == "toy@1"
        assert await review.decide(report.id, "amend", "I am sorry.", ["tone"])
        assert await review.items(["open"]) == []
        [item] = await review.items(["amended"])
        assert (item.amended, item.tags) == ("I am sorry.", ["tone"])

    run(scene())


def test_a_correction_shows_what_was_read(store: Store) -> None:
    async def scene() -> None:
        asked, _ = await talk(store, "ann", "talk", consents=True)
        reading = {"emotions": [{"id": "joyful", "probability": 0.5}], "valence": 0.5}
        await store.append(Fact("reading", "ann", "talk", asked.id, reading))
        await store.append(Fact("emotion", "ann", "talk", asked.id, {"emotion": "sad"}))
        [item] = await Review(store).items(["open"], ["emotion"])
        assert (item.read, item.event.body["emotion"], item.text, item.context) == ("joyful", "sad", "talk asks", [])
        assert item.has_consent and not item.is_reported

    run(scene())


def test_an_item_on_a_reply_that_was_replaced_keeps_its_context(store: Store) -> None:
    async def scene() -> None:
        asked, reply = await talk(store, "ann", "talk", consents=True)
        await store.append(Fact("edit", "ann", "talk", reply.id, {"text": "better"}))
        await store.append(Fact("turn", "ann", "talk", asked.id, {"role": "listener", "text": "newer"}))
        [item] = await Review(store).items(["open"])
        assert (item.text, item.context) == ("talk answers", [("speaker", "talk asks")])

    run(scene())


def test_nothing_but_items_can_be_decided_on(store: Store) -> None:
    async def scene() -> None:
        _, reply = await talk(store, "ann", "talk", consents=True)
        assert not await Review(store).decide(reply.id, "accept", None, [])
        assert not await Review(store).decide("missing", "accept", None, [])

    run(scene())


def test_deleting_somebody_takes_their_items_and_decisions_along(store: Store) -> None:
    async def scene() -> None:
        review = Review(store)
        _, reply = await talk(store, "ann", "talk", consents=True)
        [edit] = await store.append(Fact("edit", "ann", "talk", reply.id, {"text": "better"}))
        await review.decide(edit.id, "accept", None, [])
        await store.forget_visitor("ann")
        assert await review.items(["accepted"]) == [] and await review.counts() == []

    run(scene())


def test_counts_are_by_day_and_kind(store: Store, clock: Any) -> None:
    async def scene() -> None:
        _, reply = await talk(store, "ann", "talk", consents=True)
        for _ in range(2):
            await store.append(Fact("edit", "ann", "talk", reply.id, {"text": "better"}))
        clock.now += 86400
        await store.append(Fact("report", "ann", "talk", reply.id, {"reason": "other", "note": None}))
        assert await Review(store).counts() == [
            {"day": "2027-01-15", "kind": "edit", "count": 2},
            {"day": "2027-01-16", "kind": "report", "count": 1},
        ]

    run(scene())
