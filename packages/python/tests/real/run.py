"""Checks the package, builds it, and tests what was built with the real clients, each version in an environment of its own.

    python tests/real/run.py [folder]

It needs Python 3.9, 3.10 and 3.13 by the names `python3.9` and so on, and the packages' registry. The environments stay in the folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from typing import List

package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
tools = ["ruff==0.17.6", "mypy==2.4.1", "pyright==1.1.414", "build==1.6.1"]
frames = ["pandas==3.0.5", "polars==1.40.1", "pyarrow==24.0.0", "duckdb==1.5.4"]
clouds = ["boto3==1.42.97", "google-auth==2.50.0", "requests==2.32.5"]
# By the version of Python: the oldest and the newest clients that are known to work, and those between.
environments = {
    "3.9": ["openai==1.109.1", "anthropic==0.125.0", "google-genai==1.47.0", *clouds],
    "3.10": ["openai==2.54.0", "anthropic==1.17.0", "google-genai==1.47.0", *clouds],
    "3.13": ["openai==3.57.0", "anthropic==2.14.0", "google-genai==3.6.1", "boto3==1.44.8", *clouds[1:], *frames],
}
files = [
    "test_queue.py",
    "test_attribution.py",
    "test_api.py",
    "test_requests.py",
    "test_bedrock.py",
    "test_google.py",
    "real/test_openai.py",
    "real/test_anthropic.py",
    "real/test_bedrock.py",
    "real/test_google.py",
]


def run(*command: str, cwd: str = package) -> None:
    print("$", " ".join(command), flush=True)
    subprocess.run(command, cwd=cwd, check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


def make(folder: str, python: str, packages: List[str]) -> str:
    """An environment with these packages; the path of its programs."""
    found = shutil.which(f"python{python}") or sys.exit(f"There is no python{python}")
    if not os.path.exists(folder):
        run(found, "-m", "venv", folder)
        run(os.path.join(folder, "bin", "pip"), "install", "-q", "--disable-pip-version-check", *packages)
    return os.path.join(folder, "bin")


def main(folder: str) -> None:
    bin_folder = make(os.path.join(folder, "tools"), "3.13", tools)
    os.environ["PATH"] = os.pathsep.join([bin_folder, os.environ["PATH"]])
    run("ruff", "format", "--check", "--no-cache", ".")
    run("ruff", "check", "--no-cache", ".")
    run("mypy", "--cache-dir", os.path.join(folder, "mypy"))
    run("pyright")
    built = os.path.join(folder, "built")
    shutil.rmtree(built, ignore_errors=True)
    run("python", "-m", "build", "-q", "--outdir", built)
    # What was built is tested where the sources are not.
    tests = os.path.join(folder, "tests")
    shutil.rmtree(tests, ignore_errors=True)
    shutil.copytree(os.path.join(package, "tests"), tests)
    for index, (python, packages) in enumerate(environments.items()):
        bin_folder = make(os.path.join(folder, python), python, packages)
        # The wheel and the sdist by turns.
        one = next(name for name in sorted(os.listdir(built)) if name.endswith((".whl", ".tar.gz")[index % 2]))
        run(
            os.path.join(bin_folder, "pip"), "install", "-q", "--force-reinstall", "--no-deps", os.path.join(built, one)
        )
        for file in files:
            run(os.path.join(bin_folder, "python"), "-W", "ignore", file, cwd=tests)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="farthing-python-"))
