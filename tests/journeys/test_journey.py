"""A researcher's first evening, through the command line: look, train, evaluate, compare, reproduce, chat."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def hearten(folder: Path, *arguments: str, stdin: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("hearten")
    environment = {**os.environ, "HEARTEN_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [program, *arguments], cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == code, done.stderr
    return done


def test_from_a_corpus_to_a_comparison(tmp_path: Path) -> None:
    assert "sample" in hearten(tmp_path, "data", "list").stdout
    assert "288" in hearten(tmp_path, "data", "stats", "sample").stdout
    model = hearten(tmp_path, "train", "plainlm", "--preset", "tiny", "--set", "stage.0.steps=8").stdout.strip()
    assert (tmp_path / model / "model.safetensors").is_file()
    on_sample = ("--corpus", "sample", "--split", "valid")
    hearten(tmp_path, "evaluate", model, *on_sample, "--metrics", "bleu,perplexity,distinct")
    hearten(tmp_path, "evaluate", "bm25", "--preset", "tiny", *on_sample, "--metrics", "bleu,distinct")
    table = hearten(tmp_path, "compare", "results/bm25/tiny", "results/plainlm/tiny").stdout
    assert "AVG BLEU" in table
    scores = json.loads(hearten(tmp_path, "results", "--json").stdout)
    assert {"bm25", "plainlm"} == {score["system"] for score in scores}
    assert set(scores[0]) >= {"system", "preset", "split", "metric", "value", "low", "high", "signature"}
    assert "perplexity" in hearten(tmp_path, "show", model).stdout


def test_reproducing_prints_ours_and_keeps_the_results(tmp_path: Path) -> None:
    wanted = ("--preset", "tiny", "--corpus", "sample", "--metrics", "emotion")
    printed = hearten(tmp_path, "reproduce", "tfidf", *wanted).stdout
    assert "emotion accuracy" in printed
    assert (tmp_path / "results" / "tfidf" / "tiny" / "predictions.jsonl.gz").is_file()


def test_replies_made_elsewhere_enter_the_same_table(tmp_path: Path) -> None:
    (tmp_path / "replies.txt").write_text("I am so sorry.\nWhat happened then?\n")
    options = ("--corpus", "sample", "--limit", "2", "--metrics", "bleu")
    hearten(tmp_path, "evaluate", "--replies", "replies.txt", "--name", "friend", *options)
    assert "friend" in hearten(tmp_path, "results").stdout


def test_chatting_answers_takes_back_and_ends(tmp_path: Path) -> None:
    said = "My cat is ill and I am worried.\n/undo\n\n/dance\nMy sister got married!\n/quit\n"
    done = hearten(tmp_path, "chat", "--system", "bm25", stdin=said)
    assert done.stdout.count("hearten: ") == 2
    assert "not therapy" in done.stderr
    assert "there is no /dance" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("chat", "--system", "nobody"), "there is no system 'nobody'"),
        (("chat", "--system", "tfidf"), "does not answer"),
        (("data", "stats", "empathetic_dialogues"), "hearten data get empathetic_dialogues"),
        (("evaluate", "plainlm", "--preset", "tiny", "--corpus", "sample"), "hearten train plainlm --preset tiny"),
        (("train", "plainlm", "--preset", "tiny", "--set", "stage.0.speed=1"), "speed"),
        (("compare", "nowhere", "elsewhere"), "hearten evaluate"),
    ],
)
def test_a_mistake_gets_one_clear_line_and_exit_code_2(tmp_path: Path, arguments: tuple[str, ...], advice: str) -> None:
    done = hearten(tmp_path, *arguments, code=2)
    assert advice in done.stderr
    assert "Traceback" not in done.stderr
