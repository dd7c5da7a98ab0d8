"""What all sources of weights share: the way they fail, and the check that a file is what the catalogue says."""

from pathlib import Path

from hearten.backbones import manifest


class SourceFailed(Exception):
    """One source could not give the files; the next one is tried."""


def check(path: Path, sha256: str, what: str) -> None:
    """Compare a file with its pinned hash, if it has one."""
    if not sha256:
        return
    actual = manifest.sha256(path)
    if actual != sha256:
        raise SourceFailed(f"{what} has SHA-256 {actual[:16]}… where {sha256[:16]}… is expected")
