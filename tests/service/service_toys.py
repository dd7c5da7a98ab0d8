"""A toy engine that says what it is told to, waits when told to, and breaks on cue; and people who talk to it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.testclient import TestClient

from hearten.service.engine import Answered, AnswerFailed, Ask, Happening, Load, Piece, QueueFull, Read, Served

Events = list[tuple[str, dict[str, Any]]]
TOY = Served("toy", "Toy", "says what it is told to", "toy@1", "0123456789abcdef")
OTHER = Served("other", "Other", "the same under another name", "other@1", "fedcba9876543210")
READING = {
    "emotions": [{"id": "sad", "probability": 0.6}, {"id": "lonely", "probability": 0.2}],
    "evidence": [{"start": 0, "end": 2, "weight": 0.5}],
    "unsure": None,
    "valence": -0.7,
}


@dataclass
class ToyEngine:
    """An engine without a model."""

    replies: list[str] = field(default_factory=list)
    """Texts of the next replies; then it counts."""
    asks: list[Ask] = field(default_factory=list)
    is_full: bool = False
    is_ready: bool = True
    failures: list[str] = field(default_factory=list)
    """Codes that the next asks fail with."""
    gate: asyncio.Event | None = None
    """Where set, replies wait here after their first piece."""
    open_streams: int = 0

    @property
    def systems(self) -> Sequence[Served]:
        return (TOY, OTHER)

    @property
    def load(self) -> Load:
        return Load(1, self.open_streams, 0, 0)

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        if self.gate:
            self.gate.set()

    def require_room(self) -> None:
        if self.is_full:
            raise QueueFull(7)

    async def stream(self, ask: Ask) -> AsyncGenerator[Happening, None]:
        self.asks.append(ask)
        self.open_streams += 1
        try:
            if self.failures:
                raise AnswerFailed(self.failures.pop(0))
            text = self.replies.pop(0) if self.replies else f"reply {len(self.asks)}"
            yield Read(READING)
            first, _, rest = text.partition(" ")
            yield Piece(first)
            if self.gate:
                await self.gate.wait()
            yield Piece(f" {rest}")
            yield Answered(text, "consoling", [{"text": "or this", "plan": "wishing"}])
        finally:
            self.open_streams -= 1


def parse(text: str) -> Events:
    """Read a stream of events."""
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    pairs = [block.split("\n", 1) for block in blocks]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in pairs]


@dataclass
class Person:
    """Somebody with a browser."""

    client: TestClient

    def begin(self, **wanted: str) -> str:
        """Begin a conversation and return its id."""
        response = self.client.post("/api/conversations", json=wanted)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def say(self, conversation: str, text: str, key: str = "k", **more: str) -> Events:
        """Say something and return all events."""
        body = {"text": text, "key": key, **more}
        response = self.client.post(f"/api/conversations/{conversation}/turns", json=body)
        assert response.status_code == 200, response.text
        return parse(response.text)

    def turns(self, conversation: str) -> list[dict[str, Any]]:
        """Return the turns of a conversation."""
        return list(self.client.get(f"/api/conversations/{conversation}").json()["turns"])
