"""Training where the optional packages are not installed."""

import subprocess
import sys
from pathlib import Path


def test_a_system_that_needs_torch_says_which_extra_is_missing() -> None:
    code = "import sys; sys.modules['torch'] = None; from hearten.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "train", "plainlm"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'plainlm' needs the 'train' extra" in done.stderr


def test_a_system_that_only_prepares_needs_no_torch(tmp_path: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from hearten.cli.main import main; main()"
    command = [sys.executable, "-c", code, "train", "bm25", "--out", f"{tmp_path}/bm25"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
