"""Folders of weights: the user's own, the hub's, and what happens to files afterwards."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hearten.backbones import fetch, hub, manifest, state
from hearten.backbones.locking import alone
from hearten.errors import UserError

FILES = {"config.json": b"{}", "model.safetensors": b"weights"}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The snapshot folder of `us/toy` in an otherwise empty cache of the hub library."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub" / "models--us--toy" / "snapshots" / COMMIT


def on_hub(describe: Any) -> Any:
    """A backbone on the hub with pinned weights and a config that is recorded at the first pull."""
    backbone = describe(FILES, hub={"repository": "us/toy", "revision": COMMIT})
    return backbone.model_copy(update={"files": {**backbone.files, "config.json": ""}})


def test_the_users_own_folder_comes_first_and_only_data_is_taken(own_models: Path, describe: Any) -> None:
    own = {**FILES, "chat_template.jinja": b"{{ messages }}"}
    fill(own_models / "toy", {**own, "modeling.py": b"raise SystemExit", "pytorch_model.bin": b"pickle"})
    place = fetch.pull(describe(FILES, hub={"repository": "us/toy", "revision": COMMIT}))
    assert {path.name for path in place.iterdir()} == {*own, "manifest.json"}


def test_own_files_that_differ_from_the_published_ones_are_taken_and_announced(
    own_models: Path, describe: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(own_models / "toy", {**FILES, "model.safetensors": b"mine"})
    backbone = describe(FILES)
    found = manifest.read(fetch.pull(backbone))
    assert found and fetch.strangers(backbone, found) == ["model.safetensors"]
    assert "not the published ones" in capsys.readouterr().err


def test_a_folder_with_only_pickled_weights_is_refused(own_models: Path, describe: Any) -> None:
    fill(own_models / "toy", {"config.json": b"{}", "pytorch_model.bin": b"pickle"})
    with pytest.raises(UserError, match=r"holds only pytorch_model.bin, and pickled weights can run code"):
        fetch.pull(describe(FILES))
    assert not fetch.location(describe(FILES)).exists()


def test_files_in_the_hub_librarys_cache_are_used(hub_cache: Path, describe: Any) -> None:
    fill(hub_cache, {**FILES, "pytorch_model.bin": b"pickle"})
    place = fetch.pull(on_hub(describe))
    found = manifest.read(place)
    assert found and found.source == f"hub us/toy@{COMMIT}"
    assert set(found.files) == set(FILES)


def test_weights_from_the_hub_are_held_to_their_pinned_hash(hub_cache: Path, describe: Any) -> None:
    fill(hub_cache, {**FILES, "model.safetensors": b"others"})
    with pytest.raises(UserError, match=r"hub: model.safetensors has SHA-256"):
        fetch.pull(on_hub(describe))


def test_a_file_without_a_pinned_hash_is_held_to_the_first_one(hub_cache: Path, describe: Any) -> None:
    fill(hub_cache, FILES)
    backbone = on_hub(describe)
    place = fetch.pull(backbone)
    fill(hub_cache, {"config.json": b'{"other": 1}'})
    with pytest.raises(UserError, match=r"config.json from hub us/toy.* is not what was pulled the first time"):
        fetch.pull(backbone, force=True)
    assert (place / "config.json").read_bytes() == FILES["config.json"]


def test_a_hub_out_of_reach_is_an_error_that_names_it(hub_cache: Path, describe: Any) -> None:
    with pytest.raises(UserError, match=r"hub: us/toy could not be reached or read"):
        fetch.pull(on_hub(describe))


def test_without_the_hub_library_the_error_says_so(describe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UserError, match=r"hub: huggingface_hub is not installed"):
        fetch.pull(on_hub(describe))


def test_a_hub_file_that_is_absent_is_named(
    hub_cache: Path, describe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(hub_cache, {"model.safetensors": FILES["model.safetensors"]})
    monkeypatch.setattr(hub, "_snapshot", lambda *_: hub_cache)
    with pytest.raises(UserError, match=r"us/toy at 0123.* has no config.json"):
        fetch.pull(on_hub(describe))


def test_a_changed_file_is_noticed_at_the_next_use(own_models: Path, describe: Any) -> None:
    fill(own_models / "toy", FILES)
    place = fetch.pull(describe(FILES))
    (place / "config.json").write_bytes(b"[]")
    with pytest.raises(UserError, match=r"config.json in .* changed .*hearten models pull --force toy"):
        fetch.folder(describe(FILES))


def test_a_file_that_only_looks_newer_is_hashed_once_and_accepted(
    own_models: Path, describe: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(own_models / "toy", FILES)
    place = fetch.pull(describe(FILES))
    os.utime(place / "config.json", (1, 1))
    assert fetch.folder(describe(FILES)) == place
    monkeypatch.setattr(manifest, "sha256", lambda path: pytest.fail(f"{path} was hashed again"))
    assert fetch.folder(describe(FILES)) == place


def test_verify_finds_damage_that_size_and_time_hide(own_models: Path, describe: Any) -> None:
    fill(own_models / "toy", FILES)
    place = fetch.pull(describe(FILES))
    times = (place / "config.json").stat()
    (place / "config.json").write_bytes(b"[]")
    os.utime(place / "config.json", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert fetch.folder(describe(FILES)) == place
    assert fetch.verify(describe(FILES)) == ["config.json"]


def test_verify_looks_at_conversions_too(own_models: Path, describe: Any) -> None:
    fill(own_models / "toy", FILES)
    place = fetch.pull(describe(FILES))
    manifest.take(fill(place / "torch", {"model.safetensors": b"made"}), "toy", "made")
    (place / "torch" / "model.safetensors").unlink()
    assert fetch.verify(describe(FILES)) == ["torch/model.safetensors"]


def test_a_folder_without_a_manifest_counts_as_absent(own_models: Path, describe: Any) -> None:
    fill(own_models / "toy", FILES)
    backbone = describe(FILES)
    fill(fetch.location(backbone), {"config.json": b"half"})
    assert fetch.verify(backbone) == ["manifest.json"]
    assert (fetch.folder(backbone) / "config.json").read_bytes() == FILES["config.json"]


def test_the_list_tells_own_files_from_published_ones(own_models: Path) -> None:
    fill(own_models / "gpt2", FILES)
    fetch.pull("gpt2")
    row = next(row for row in state.rows() if row.name == "gpt2")
    assert row.state == "present, 0 MB, from folder (own files)"
    assert state.present() == ["gpt2"]


def test_what_a_killed_process_left_behind_is_swept_away(own_models: Path, describe: Any) -> None:
    fill(own_models / "toy", FILES)
    backbone = describe(FILES)
    fill(fetch.location(backbone).parent / ".toy-killed", {"model.safetensors": b"half"})
    place = fetch.pull(backbone)
    assert list(place.parent.iterdir()) == [place]


def test_a_second_process_waits_for_the_first_and_then_fetches_nothing(own_models: Path, describe: Any) -> None:
    fill(own_models / "toy", FILES)
    backbone = describe(FILES)
    with ThreadPoolExecutor(1) as pool:
        with alone("toy"):
            second = pool.submit(fetch.pull, backbone)
            with pytest.raises(TimeoutError):
                second.result(timeout=0.2)
            fetch._fetch(backbone, fetch.location(backbone), None)
            before = (fetch.location(backbone) / "manifest.json").stat().st_ino
        place = second.result(timeout=30)
    assert (place / "manifest.json").stat().st_ino == before
