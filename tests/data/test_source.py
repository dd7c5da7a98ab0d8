"""From a corpus name to its folder, dialogues and examples."""

from pathlib import Path

import pytest

from hearten.data import source
from hearten.data.corpus import MalformedRow
from hearten.errors import UserError

HEADER = "conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags\n"
ROWS = (
    "hit:0_conv:1,1,sad,s,1,Alas.,,\nhit:0_conv:1,2,sad,s,0,Dear me.,,\n"
    "hit:0_conv:1,3,sad,s,1,Yes.,,\nhit:0_conv:1,4,sad,s,0,Well.,,\n"
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with one conversation of EmpatheticDialogues."""
    (tmp_path / "empathetic_dialogues").mkdir()
    (tmp_path / "empathetic_dialogues" / "train.csv").write_text(HEADER + ROWS, encoding="utf-8")
    monkeypatch.setenv("HEARTEN_DATA", str(tmp_path))
    return tmp_path


def test_a_missing_corpus_says_how_to_get_it() -> None:
    with pytest.raises(source.MissingCorpus, match=r"hearten data get meld\n.*HEARTEN_DATA"):
        source.folder_of("meld")


def test_a_missing_split_names_those_that_are_there(data: Path) -> None:
    with pytest.raises(UserError, match="no split 'test'; it has: train"):
        list(source.dialogues("empathetic_dialogues", "test"))


def test_the_two_kinds_of_corpora_are_not_mixed_up() -> None:
    with pytest.raises(UserError, match="holds dialogues, not labelled texts"):
        list(source.texts("sample", "train"))
    with pytest.raises(UserError, match="holds labelled texts, not dialogues"):
        list(source.dialogues("twenty_newsgroups", "train"))


def test_malformed_rows_are_counted_on_stderr(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = data / "empathetic_dialogues" / "train.csv"
    place.write_text(HEADER + ROWS + "nonsense\n" * 7, encoding="utf-8")
    assert len(list(source.dialogues("empathetic_dialogues", "train"))) == 1
    said = capsys.readouterr().err
    assert "7 malformed rows were left out" in said
    assert f"{place}:6: 1 fields" in said
    assert "... and 2 more" in said
    with pytest.raises(MalformedRow, match=r"train\.csv:6"):
        list(source.dialogues("empathetic_dialogues", "train", strict=True))


def test_malformed_rows_are_told_of_even_when_reading_stops_early(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = data / "empathetic_dialogues" / "train.csv"
    place.write_text(HEADER + "nonsense\n" + ROWS + ROWS.replace("conv:1", "conv:2"), encoding="utf-8")
    assert len(source.load_examples("empathetic_dialogues", "train", limit=1)) == 2
    assert "1 malformed rows" in capsys.readouterr().err


def test_labels_of_another_corpus_are_joined_and_unlabelled_replies_left_out(data: Path) -> None:
    (data / "empathetic_intents").mkdir()
    (data / "empathetic_intents" / "manual_annotations.csv").write_text("label,utterance\n", encoding="utf-8")
    labels = "conv_id,utterance_idx,role,label\nhit:0_conv:1,1,speaker,sad\nhit:0_conv:1,2,listener,consoling\n"
    (data / "empathetic_intents" / "ed_auto_labels.csv").write_text(labels, encoding="utf-8")
    assert len(source.load_examples("empathetic_dialogues", "train")) == 2
    [example] = source.load_examples("empathetic_dialogues", "train", labelled=True)
    assert (example.id, example.reply.label, example.context[0].label) == ("hit:0_conv:1#2", "consoling", "sad")


def test_labels_that_are_missing_are_asked_for(data: Path) -> None:
    with pytest.raises(source.MissingCorpus, match="hearten data get empathetic_intents"):
        source.load_examples("empathetic_dialogues", "train", labelled=True)


def test_a_corpus_without_any_labels_cannot_be_asked_for_labelled_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "personachat").mkdir()
    (tmp_path / "personachat" / "train_head_10000.tsv").write_text("i hum\thello\thmm\n", encoding="utf-8")
    monkeypatch.setenv("HEARTEN_DATA", str(tmp_path))
    with pytest.raises(UserError, match=r"no reply in 'personachat' .* carries"):
        source.load_examples("personachat", "train", labelled=True)


def test_the_sample_brings_its_own_labels() -> None:
    assert len(source.load_examples("sample", "valid", labelled=True)) == len(source.load_examples("sample", "valid"))


def test_a_damaged_file_is_named(data: Path) -> None:
    folder = data / "empathetic_dialogues"
    (folder / "train.csv").unlink()
    (folder / "train.csv.gz").write_bytes(b"\x1f\x8bnot really")
    with pytest.raises(UserError, match=r"train\.csv\.gz is damaged"):
        list(source.dialogues("empathetic_dialogues", "train"))


def test_an_unterminated_quote_in_a_table_is_reported_not_swallowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "edos").mkdir()
    table = 'os_dialog_id,emotion,os_dialog\n1,sad,Oh .\n2,sad,"Oh .\n3,sad,Oh .\n'
    (tmp_path / "edos" / "self_labelled.csv").write_text(table, encoding="utf-8")
    monkeypatch.setenv("HEARTEN_DATA", str(tmp_path))
    assert len(list(source.dialogues("edos", "self"))) == 1
    assert "not readable as CSV" in capsys.readouterr().err
