"""How long the program takes to say hello: `import hearten` and `hearten --help`, against a bare interpreter."""

import subprocess
import sys
import time
from statistics import median

PROBES = {
    "python -c pass": ["-c", "pass"],
    "import hearten": ["-c", "import hearten"],
    "hearten --help": ["-c", "import sys; sys.argv = ['hearten', '--help']; from hearten.cli.main import main; main()"],
}


def seconds(arguments: list[str]) -> float:
    """Return the median wall time of eleven runs."""
    taken = []
    for _ in range(11):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - began)
    return median(taken)


if __name__ == "__main__":
    for name, arguments in PROBES.items():
        print(f"{name:<16} {seconds(arguments) * 1000:6.0f} ms")
