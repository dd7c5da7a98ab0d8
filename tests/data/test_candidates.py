"""Which turns become retrieval candidates."""

from pathlib import Path

from hearten.data.candidates import Candidate, candidates, candidates_from_file
from hearten.dialogue import Dialogue, Turn


def dialogue(name: str, *texts: str) -> Dialogue:
    turns = tuple(Turn("listener" if n % 2 else "speaker", text) for n, text in enumerate(texts))
    return Dialogue(name, turns)


def test_first_utterances_are_left_out_and_both_sides_kept() -> None:
    found = candidates([dialogue("d", "I fell.", "Ouch!", "It hurts.")])
    assert found == [Candidate("d#2", "Ouch!"), Candidate("d#3", "It hurts.")]


def test_repetitions_count_once_whatever_their_case_and_blanks() -> None:
    found = candidates([dialogue("a", "x", "Oh  No!"), dialogue("b", "x", "oh no!", "Ah."), dialogue("c", "x", "AH.")])
    assert [candidate.id for candidate in found] == ["a#2", "b#3"]


def test_twenty_tokens_are_kept_and_twenty_one_are_not() -> None:
    longest = " ".join(["don't"] * 19) + "."
    assert [c.text for c in candidates([dialogue("d", "x", longest, f"{longest}.")])] == [longest]


def test_remnants_of_markup_are_left_out_but_hearts_and_sighs_stay() -> None:
    texts = [
        "a <b>tag</b>",
        "fish &amp; chips",
        "well_comma_ yes",
        "see https://example.org",
        "a\\nb",
        "www.example.org",
        "",
    ]
    assert [c.text for c in candidates([dialogue("d", "x", *texts, "I <3 you", "Awww.so sweet")])] == [
        "I <3 you",
        "Awww.so sweet",
    ]


def test_a_text_file_gives_one_candidate_a_line(tmp_path: Path) -> None:
    place = tmp_path / "replies.txt"
    place.write_text("Tell me more.\n\ntell me more.\n  I see. \n", encoding="utf-8")
    found = candidates_from_file(place)
    assert found == [Candidate("replies.txt:1", "Tell me more."), Candidate("replies.txt:4", "I see.")]
