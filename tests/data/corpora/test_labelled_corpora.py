"""The smaller readers: EmpatheticIntents, EDOS, MELD and 20 Newsgroups, on invented rows."""

import json
from pathlib import Path

import pytest

from hearten.data.corpora import edos, empathetic_intents, meld, twenty_newsgroups
from hearten.data.corpus import Problems
from hearten.dialogue import Labelled, Turn
from hearten.errors import UserError

MELD_HEADER = "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID,Season,Episode,StartTime,EndTime"


def write(path: Path, *lines: str) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_classifier_data_is_read_by_split(tmp_path: Path) -> None:
    write(
        tmp_path / "classifier_data.csv", "split,label,utterance", 'train,wishing,"All the best, you"', "test,sad,Oh."
    )
    [item] = empathetic_intents.PLUGIN.texts(tmp_path, "train", Problems(strict=True))
    assert (item.text, item.label) == ("All the best, you", "wishing")
    assert [i.label for i in empathetic_intents.PLUGIN.texts(tmp_path, "test", Problems(strict=True))] == ["sad"]


def test_lexical_splits_come_from_their_own_file(tmp_path: Path) -> None:
    write(tmp_path / "lexical_intents.csv", "split,label,utterance", "valid,agreeing,True.", "train,wishing,Luck!")
    assert set(empathetic_intents.PLUGIN.files(tmp_path)) == {"lexical-train", "lexical-valid", "lexical-test"}
    [item] = empathetic_intents.PLUGIN.texts(tmp_path, "lexical-valid", Problems(strict=True))
    assert item.text == "True."


def test_manual_labels_may_be_finer_than_the_taxonomy(tmp_path: Path) -> None:
    write(tmp_path / "manual_annotations.csv", "label,utterance", "advising,Rest.", "snoring,Zzz.")
    problems = Problems()
    assert [i.label for i in empathetic_intents.PLUGIN.texts(tmp_path, "manual", problems)] == ["advising"]
    assert "manual_annotations.csv:3: " in problems.rows[0]


def test_automatic_labels_are_keyed_by_conversation_and_turn(tmp_path: Path) -> None:
    write(
        tmp_path / "ed_auto_labels.csv", "conv_id,utterance_idx,role,label", "c,0,situation,sad", "c,2,listener,wishing"
    )
    assert empathetic_intents.auto_labels(tmp_path) == {("c", 0): "sad", ("c", 2): "wishing"}


def test_missing_automatic_labels_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no ed_auto_labels\.csv"):
        empathetic_intents.auto_labels(tmp_path)


def test_unusable_automatic_labels_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["c,1,speaker,sad", "c,1,speaker,sad", "c,x,speaker,sad", "c,2,listener,humming", "c,3"]
    write(tmp_path / "ed_auto_labels.csv", "conv_id,utterance_idx,role,label", *rows)
    assert empathetic_intents.auto_labels(tmp_path) == {("c", 1): "sad"}
    said = capsys.readouterr().err
    assert "4 malformed rows" in said
    for line, what in [(3, "a second label"), (4, "not a number"), (5, "unknown label"), (6, "2 fields")]:
        assert f"ed_auto_labels.csv:{line}: " in said
        assert what in said


def test_the_label_of_a_subtitle_dialogue_belongs_to_its_last_turn(tmp_path: Path) -> None:
    write(tmp_path / "self_labelled.csv", "os_dialog_id,emotion,os_dialog", '12,lonely,"- You here ?\n- - Nobody is ."')
    [dialogue] = edos.PLUGIN.dialogues(tmp_path, "self", Problems(strict=True))
    assert dialogue.turns == (Turn("speaker", "You here ?"), Turn("listener", "Nobody is .", "lonely"))
    assert (dialogue.id, dialogue.emotion) == ("self:12", "lonely")


def test_dialogues_without_a_majority_are_counted_and_are_no_mistake(tmp_path: Path) -> None:
    header = "Count,Index,DialogID,Dialog,Agreed emotion (2/3 vote),Worker 1 answer,Worker 2 answer,Worker 3 answer"
    rows = [
        "1,a,5,Ha !,Joyful,,,",
        "2,b,5,Hm .,-,,,",
        "3,c,6,No .,Disagreeing (Other),,,",
        "4,d,7,So .,Neutral (Other),,,",
    ]
    write(tmp_path / "mturk_labels.csv", header, *rows)
    problems = Problems(strict=True)
    assert [d.emotion for d in edos.PLUGIN.dialogues(tmp_path, "mturk", problems)] == ["joyful", "neutral"]
    assert "1 dialogues without a majority label" in problems.summary()
    assert "1 dialogues with a label outside the 41" in problems.summary()


def test_an_empty_subtitle_turn_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "self_labelled.csv", "os_dialog_id,emotion,os_dialog", '12,lonely,"- Hm .\n\n- Hm ."')
    problems = Problems()
    assert list(edos.PLUGIN.dialogues(tmp_path, "self", problems)) == []
    assert "an empty turn" in problems.rows[0]


def test_whoever_opens_a_scene_is_its_speaker_and_all_others_listen(tmp_path: Path) -> None:
    rows = [
        '1,"Cake, anyone?",Ann,joy,positive,0,0,1,1,"0,1","0,2"',
        '2,No.,Bo,disgust,negative,0,1,1,1,"0,1","0,2"',
        '3,Me!,Cy,surprise,positive,0,2,1,1,"0,1","0,2"',
        '4,Here.,Ann,neutral,neutral,0,3,1,1,"0,1","0,2"',
    ]
    write(tmp_path / "dev_sent_emo.csv", MELD_HEADER, *rows)
    [scene] = meld.PLUGIN.dialogues(tmp_path, "valid", Problems(strict=True))
    assert [turn.role for turn in scene.turns] == ["speaker", "listener", "listener", "speaker"]
    assert [turn.label for turn in scene.turns] == ["joyful", "disgusted", "surprised", "neutral"]
    assert scene.turns[0].text == "Cake, anyone?"


def test_scenes_with_missing_utterances_are_counted_and_unknown_emotions_reported(tmp_path: Path) -> None:
    rows = [
        "1,Hm.,Ann,joy,positive,0,0,1,1,0,1",
        "2,Ha.,Bo,joy,positive,0,2,1,1,0,1",
        "3,Oh.,Bo,bored,negative,1,0,1,1,0,1",
    ]
    write(tmp_path / "test_sent_emo.csv", MELD_HEADER, *rows)
    problems = Problems()
    assert len(list(meld.PLUGIN.dialogues(tmp_path, "test", problems))) == 1
    assert problems.rows == [f"{tmp_path / 'test_sent_emo.csv'}:4: an empty utterance or the unknown emotion 'bored'"]
    assert "1 dialogues lack utterances" in problems.remarks[0]


def test_a_table_without_the_needed_columns_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "test_sent_emo.csv", "Utterance,Speaker", "Hm.,Ann")
    problems = Problems()
    assert list(meld.PLUGIN.dialogues(tmp_path, "test", problems)) == []
    assert "the header lacks Emotion, Dialogue_ID, Utterance_ID" in problems.rows[0]


def test_posts_are_read_by_split_with_their_subject(tmp_path: Path) -> None:
    posts = [
        {"split": "train", "label": "sci.tea", "id": "1", "subject": "Leaves", "text": "Boil first."},
        {"split": "test", "label": "sci.tea", "id": "2", "subject": "Cups", "text": " \n"},
    ]
    write(tmp_path / "bydate.jsonl", *(json.dumps(post) for post in posts), '{"split": "test"}', "no json")
    problems = Problems()
    read = twenty_newsgroups.PLUGIN.texts
    assert list(read(tmp_path, "train", problems)) == [Labelled("sci.tea/1", "Leaves\nBoil first.", "sci.tea")]
    assert [row.split(":")[1] for row in problems.rows] == ["3", "4"]
    assert [item.text for item in read(tmp_path, "test", Problems())] == ["Cups"]
