"""20 Newsgroups, split by date: posts and the group they were sent to, for topic classifiers.

`bydate.jsonl` holds one post a line: `{"split", "label", "id", "subject", "text"}`. The text of an item is the subject
followed by the body, because 34 bodies are blank; quoted lines and signatures remain.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from hearten.data.corpus import Problems, TextCorpus
from hearten.data.files import open_text, present_splits
from hearten.dialogue import Labelled

FIELDS = ("split", "label", "id", "subject", "text")


class TwentyNewsgroups(TextCorpus):
    """The by-date split."""

    title = "20 Newsgroups, by date (Lang 1995)"
    licence = "none stated"
    citation = "Ken Lang. NewsWeeder: Learning to Filter Netnews. ICML 1995."
    advice = 'Write the posts of 20news-bydate to bydate.jsonl, one {"split", "label", "id", "subject", "text"} a line.'

    def files(self, folder: Path) -> dict[str, Path]:
        """Map train and test to the one file that holds both."""
        return present_splits(folder, {"train": "bydate.jsonl", "test": "bydate.jsonl"})

    def texts(self, folder: Path, split: str, problems: Problems) -> Iterator[Labelled]:
        """Yield the posts of a split in file order."""
        path = self.files(folder)[split]
        with open_text(path) as file:
            for line, text in enumerate(file, start=1):
                post = _post(text)
                if post is None:
                    problems.report(path, line, f"not a JSON object with the texts {', '.join(FIELDS)}")
                elif post["split"] == split:
                    body = f"{post['subject']}\n{post['text']}".strip()
                    yield Labelled(f"{post['label']}/{post['id']}", body, post["label"])


def _post(text: str) -> dict[str, str] | None:
    try:
        post = json.loads(text)
    except json.JSONDecodeError:
        return None
    complete = isinstance(post, dict) and all(isinstance(post.get(name), str) for name in FIELDS)
    return post if complete else None


PLUGIN = TwentyNewsgroups()
