"""What all routes share, and how they get hold of it."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Path, Request

from hearten.service.engine import Engine
from hearten.service.errors import not_found
from hearten.service.limits import RateLimit
from hearten.service.metrics import Metrics
from hearten.service.replying import Replying
from hearten.service.sessions import Operator, Sessions
from hearten.service.settings import ServiceSettings
from hearten.store.store import Store
from hearten.store.views import ConversationView, TurnView


@dataclass
class Service:
    """The parts of one server."""

    settings: ServiceSettings
    engine: Engine
    store: Store
    sessions: Sessions
    operator: Operator
    metrics: Metrics
    replying: Replying
    turns: RateLimit
    actions: RateLimit
    programs: RateLimit
    """For clients of the OpenAI protocol, by address."""
    is_draining: bool = False


async def service_of(request: Request) -> Service:
    """Return the parts of the server that a request came to. Asynchronous, as FastAPI runs others in threads."""
    return cast(Service, request.app.state.service)


The = Annotated[Service, Depends(service_of)]


async def visitor_of(request: Request, service: The) -> str:
    """Return who is asking."""
    return service.sessions.require(request)


async def acting_visitor(request: Request, service: The) -> str:
    """Return who wants to change something, if they may so soon."""
    visitor = service.sessions.require(request)
    service.actions.take(visitor)
    return visitor


Visitor = Annotated[str, Depends(visitor_of)]
ActingVisitor = Annotated[str, Depends(acting_visitor)]
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


async def is_operator(request: Request, service: The) -> None:
    """Let the operator pass."""
    service.operator.require(request)


async def own_conversation(service: Service, visitor: str, conversation: str) -> ConversationView:
    """Return a conversation of the visitor."""
    view = await service.store.conversation(visitor, conversation)
    if view is None:
        raise not_found()
    return view


async def own_turn(service: Service, visitor: str, turn: str) -> tuple[ConversationView, TurnView]:
    """Return a turn in a conversation of the visitor."""
    view = await service.store.conversation_of(visitor, turn)
    found = view.find(turn) if view else None
    if view is None or found is None:
        raise not_found()
    return view, found
