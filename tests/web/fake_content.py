"""What the stand-in says: its replies, and what waits for review."""

from typing import Any

Json = dict[str, Any]
TOKEN = "review-token-of-the-tests"
PIECES = ["That sounds ", "like a lot to carry. ", "What has been ", "the hardest part of it?"]
CREATED = "2026-03-02T09:30:00+00:00"
SAID = [
    {"role": "speaker", "text": "My sister moved away last week."},
    {"role": "listener", "text": "That must be a change. How are you?"},
    {"role": "speaker", "text": "I feel so alone in the evenings."},
]
DAYS = [
    {"day": f"2026-03-0{day}", "kind": kind, "count": count}
    for kind, counts in (("report", (2, 1, 3, 0, 4)), ("edit", (1, 2, 2, 5, 3)), ("emotion", (0, 4, 1, 2, 2)))
    for day, count in enumerate(counts, start=1)
]


def review_items() -> list[Json]:
    """Return one of each kind, and one that is decided."""
    report = _item("r1", "report", text="Just go out more.") | {"reason": "hurtful", "note": "It felt dismissive."}
    edit = _item("e1", "edit", text="That is nice.") | {"edit": "That sounds lonely. What did you two use to do?"}
    emotion = _item("m1", "emotion", text=SAID[2]["text"]) | {"read": "sad", "emotion": "lonely"}
    done = _item("d1", "report", text="Okay.") | {"state": "accepted", "reason": "nonsense", "tags": ["too short"]}
    return [report, edit, emotion, done]


def _item(name: str, kind: str, text: str) -> Json:
    empty = {"reason": None, "note": None, "edit": None, "read": None, "emotion": None, "tags": []}
    told = {"id": name, "kind": kind, "state": "open", "created": CREATED, "model": "listener-tiny"}
    return told | empty | {"context": SAID, "text": text}
