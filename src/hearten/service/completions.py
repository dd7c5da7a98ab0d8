"""The words of the OpenAI protocol, as far as hearten speaks it."""

import time
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hearten.dialogue import Role, Turn
from hearten.service.wire import Intent, Text
from hearten.store.events import new_id

ROLES: dict[str, Role] = {"user": "speaker", "assistant": "listener"}


class Part(BaseModel):
    """A part of a message; only text is read."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)
    type: Literal["text"]
    text: Text


class Message(BaseModel):
    """A message. What a system or developer message asks for is not followed: hearten has a manner of its own."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)
    role: Literal["system", "developer", "user", "assistant"]
    content: Text | Annotated[list[Part], Field(max_length=100)]

    @property
    def text(self) -> str:
        """What the message says."""
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content)


class Extra(BaseModel):
    """What clients that know hearten may say besides."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)
    intent: Intent | None = None
    country: str | None = None


class StreamOptions(BaseModel):
    """How to stream."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)
    include_usage: bool | None = None


class Completion(BaseModel):
    """A request; options of sampling are accepted and not heeded."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)
    model: Annotated[Text, Field(max_length=200)]
    messages: Annotated[list[Message], Field(min_length=1, max_length=1000)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = 1
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None
    user: Text | None = None
    hearten: Extra | None = None

    def turns(self) -> tuple[Turn, ...]:
        """Return the conversation."""
        return tuple(Turn(ROLES[one.role], one.text) for one in self.messages if one.role in ROLES and one.text.strip())


class Form:
    """Writes the answers to one request."""

    def __init__(self, model: str, wants_usage: bool) -> None:
        self._id, self._model, self._created = f"chatcmpl-{new_id()}", model, int(time.time())
        self._wants_usage = wants_usage

    def whole(self, text: str, extra: dict[str, Any]) -> dict[str, Any]:
        """Return the answer in one piece. Tokens are not counted: engines differ in what they are."""
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
        return {**self._head("chat.completion"), "choices": [choice], "usage": _usage(), "hearten": extra}

    def chunk(self, delta: dict[str, str], finish: str | None = None, **more: Any) -> dict[str, Any]:
        """Return a piece of the answer."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **more}

    def last(self) -> list[dict[str, Any]]:
        """Return what comes after the end, if it was asked for."""
        head = self._head("chat.completion.chunk")
        return [{**head, "choices": [], "usage": _usage()}] if self._wants_usage else []

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._model}


def _usage() -> dict[str, int]:
    return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
