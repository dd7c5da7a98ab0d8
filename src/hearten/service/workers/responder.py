"""A loaded system as the workers use it: asks in, readings, pieces and answers out. No process, no HTTP."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from hearten.dialogue import Reply, Turn
from hearten.listener.agent import Agent
from hearten.listener.answer import Answer
from hearten.safety.replies import repair_reply, unsafe_reply
from hearten.service.engine import Answered, Ask, Effort, Piece, at_once
from hearten.service.guard import Guard
from hearten.system import Replies, RepliesToMany, TakesIntent

OTHERS = 2
"""Replies that are asked for besides the best, for regenerating and for where the best must not be said."""


class Responder(Protocol):
    """Answers asks."""

    is_shared: bool
    """Whether several threads may ask at once; what computes then takes them together by itself."""

    def is_live(self, ask: Ask) -> bool:
        """Say whether the words of the reply will come as they are written."""
        ...

    def stream(self, ask: Ask) -> Iterator[Piece | Answered]:
        """Answer one ask piece by piece."""
        ...

    def together(self, asks: Sequence[Ask]) -> list[Answered]:
        """Answer several asks of the same intent at once."""
        ...


def responder(system: object) -> Responder:
    """Wrap a system: one that holds an agent is asked for its reasons, any other for replies."""
    agent = getattr(system, "agent", None)
    return AgentResponder(agent) if isinstance(agent, Agent) else SystemResponder(system)


class AgentResponder:
    """The listener: it guards itself, plans, and knows alternatives.

    Where others wait it says its first draft, and where too many do, something that it drafted long ago.
    """

    is_shared = True

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._agents: dict[Effort, Agent] = {"full": agent, "quick": agent.quick(), "least": agent.instant()}

    def is_live(self, ask: Ask) -> bool:
        """Say whether there is one draft only, and no other one is wanted."""
        return self._agents[_effort(ask)].is_direct and not ask.avoid

    def stream(self, ask: Ask) -> Iterator[Piece | Answered]:
        """Pass the agent's pieces on as long as nothing speaks against them."""
        effort = _effort(ask)
        agent = self._agents[effort]
        if not self.is_live(ask):
            yield from at_once(_answered(agent.answer(ask.context, ask.intent, ask.seed), ask, effort))
            return
        guard = Guard(ask.context, is_calm=agent.manner.guards)  # or else the agent says something else by itself
        for item in agent.stream(ask.context, ask.intent, ask.seed):
            if isinstance(item, Answer):
                yield _answered(item, ask, effort)
            elif shown := guard.pass_on(item):
                yield Piece(shown)

    def together(self, asks: Sequence[Ask]) -> list[Answered]:
        """Let the agent answer all of them in one batch."""
        effort = max((ask.effort for ask in asks), key=list(self._agents).index)
        answers = self._agents[effort].answer_many([ask.context for ask in asks], asks[0].intent, asks[0].seed)
        return [_answered(answer, ask, effort) for answer, ask in zip(answers, asks, strict=True)]


class SystemResponder:
    """Any system that replies; what it says is looked at before it is shown."""

    is_shared = False

    def __init__(self, system: Any) -> None:
        self._system = system

    def is_live(self, ask: Ask) -> bool:
        """Say that replies come whole."""
        return False

    def stream(self, ask: Ask) -> Iterator[Piece | Answered]:
        """Answer; the reply comes in one piece."""
        yield from at_once(_chosen(self._replies(ask), ask))

    def together(self, asks: Sequence[Ask]) -> list[Answered]:
        """Answer in one batch if the system can and nobody wants something special."""
        is_plain = not any(ask.avoid or ask.intent for ask in asks)
        if is_plain and isinstance(self._system, RepliesToMany):
            replies = self._system.reply_many([ask.context for ask in asks])
            return [_chosen([reply], ask) for reply, ask in zip(replies, asks, strict=True)]
        return [_chosen(self._replies(ask), ask) for ask in asks]

    def _replies(self, ask: Ask) -> list[Reply]:
        count = 1 + OTHERS + len(ask.avoid)
        if ask.intent and isinstance(self._system, TakesIntent):
            return self._system.reply_with(ask.context, ask.intent, count)
        assert isinstance(self._system, Replies)
        return self._system.reply(ask.context, count)


def _effort(ask: Ask) -> Effort:
    """Say what an ask gets: other replies than those before need choice, and what is looked up heeds no intent."""
    if ask.avoid:
        return "full"
    return "quick" if ask.intent and ask.effort == "least" else ask.effort


def _chosen(replies: Sequence[Reply], ask: Ask) -> Answered:
    """Take the best reply that may be said and was not said before."""
    objections = [(reply, unsafe_reply(reply.text, ask.context)) for reply in replies if reply.text.strip()]
    allowed = [reply.text for reply, objection in objections if objection is None]
    fresh = [text for text in allowed if text not in ask.avoid] or allowed
    if not fresh:
        return _repaired(ask.context, next((str(why) for _, why in objections), "empty"))
    others = [{"text": text, "plan": None} for text in fresh[1 : 1 + OTHERS]]
    return Answered(fresh[0], alternatives=others)


def _answered(answer: Answer, ask: Ask, effort: Effort) -> Answered:
    """Tell the agent's answer in the service's words; another candidate is said where the best was said before."""
    allowed = [one for one in answer.candidates if one.objection is None]
    said = next((one for one in allowed if one.text == answer.text), None)
    if said is None:
        objection = next((one.objection for one in answer.candidates), None)
        return Answered(answer.text, withheld=objection, effort=effort)
    fresh = [one for one in allowed if one.text not in ask.avoid]
    chosen = said if said in fresh or not fresh else fresh[0]
    others = [{"text": one.text, "plan": one.plan} for one in fresh if one != chosen][:OTHERS]
    return Answered(chosen.text, chosen.plan, others, effort=effort)


def _repaired(context: Sequence[Turn], objection: str) -> Answered:
    return Answered(repair_reply(context), withheld=objection)
