"""Checks the package, builds it, and tests what was built with the real clients, each version in an environment of its own.

    python tests/real/run.py [folder [environment …]]

It needs Python 3.9, 3.10 and 3.13 by the names `python3.9` and so on, and the packages' registry. The environments stay in the folder.
It goes on after a test that fails, whose output it prints, and names these at its end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import List, NamedTuple

package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
tools = ["ruff==0.17.6", "mypy==2.4.1", "pyright==1.1.414", "build==1.6.1"]
frames = ["pandas==3.1.1", "polars==2.1.0"]
clouds = ["boto3==1.42.97", "google-auth==2.50.0", "requests==2.32.5"]
own = [
    f"test_{name}.py"
    for name in ("queue", "faults", "attribution", "api", "requests", "bedrock", "google", "transport", "frameworks")
]
wraps = [f"real/test_{name}.py" for name in ("openai", "anthropic", "bedrock", "google", "transport")]
# What LiteLLM's proxy needs. Its own extra names a package that the registry lacks.
proxy = [
    *("fastapi", "uvicorn[standard]", "gunicorn", "orjson", "pyyaml", "python-multipart", "apscheduler", "backoff"),
    *("cryptography", "pyjwt", "pynacl", "websockets", "rich", "rq", "redis", "fastapi-sso", "boto3", "mcp", "polars"),
    *("azure-identity", "azure-storage-blob", "restrictedpython", "inquirerpy", "tomlkit", "soundfile", "expression"),
    *("semver", "email-validator"),
]


class Environment(NamedTuple):
    python: str
    packages: List[str]
    files: List[str]


# The oldest and the newest clients that are known to work, and those between.
environments = {
    "3.9": Environment(
        "3.9",
        [
            *("openai[aiohttp]==1.109.1", "anthropic[aiohttp]==0.125.0", "google-genai==1.47.0", "mistralai==1.10.0"),
            *("cohere==5.21.1", *clouds),
        ],
        [*own, *wraps],
    ),
    "3.10": Environment(
        "3.10",
        [
            *("openai[aiohttp]==2.54.0", "anthropic[aiohttp]==1.17.0", "google-genai[aiohttp]==1.47.0"),
            *("mistralai==1.12.4", "cohere==5.21.1", *clouds),
        ],
        [*own, *wraps],
    ),
    "3.13": Environment(
        "3.13",
        [
            *("openai[aiohttp]==3.57.0", "anthropic[aiohttp]==2.14.0", "google-genai[aiohttp]==3.6.1"),
            *("mistralai==3.7.0", "cohere==7.3.1", "boto3==1.44.8", "google-auth==2.63.0", "requests==2.32.5", *frames),
        ],
        [*own, *wraps, "real/test_frames.py"],
    ),
    "frameworks": Environment(
        "3.13",
        [
            *("litellm==1.110.2", "openai==2.54.0", "llama-index-core==0.14.25", "llama-index-llms-openai==0.8.3"),
            *("langchain-core==1.8.3", "langchain-openai==1.7.4", "langchain-anthropic==1.7.10", "langgraph==1.2.24"),
            *proxy,
        ],
        [f"real/test_{name}.py" for name in ("litellm", "langchain", "llama_index")],
    ),
    "servers": Environment(
        "3.13",
        ["openai==3.57.0", "gunicorn==26.2.0", "uvicorn==0.54.0", "celery==5.7.0"],
        ["real/test_processes.py"],
    ),
}


def run(*command: str) -> None:
    print("$", " ".join(command), flush=True)
    subprocess.run(command, cwd=package, check=True)


def make(folder: str, python: str, packages: List[str]) -> str:
    """An environment with these packages, which `uv` installs faster where it is there; the path of its programs."""
    found = shutil.which(f"python{python}") or sys.exit(f"There is no python{python}")
    if not os.path.exists(folder):
        run(found, "-m", "venv", folder)
        run(*installer(os.path.join(folder, "bin")), *packages)
    return os.path.join(folder, "bin")


def installer(bin_folder: str) -> List[str]:
    uv = shutil.which("uv")
    if uv is None:
        return [os.path.join(bin_folder, "pip"), "install", "-q", "--disable-pip-version-check"]
    return [uv, "pip", "install", "-q", "--python", os.path.join(bin_folder, "python")]


def passes(python: str, file: str, folder: str) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        [python, "-W", "ignore", file], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(f"  {file}: {done.stdout.strip().splitlines()[-1:]} in {time.monotonic() - started:.0f} s", flush=True)
    if done.returncode != 0:
        print(done.stdout, flush=True)
    return done.returncode == 0


def main(folder: str, names: List[str]) -> None:
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
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
    failed: List[str] = []
    for index, (name, (python, packages, files)) in enumerate(environments.items()):
        if names and name not in names:
            continue
        bin_folder = make(os.path.join(folder, name), python, packages)
        # The wheel and the sdist by turns.
        one = next(name for name in sorted(os.listdir(built)) if name.endswith((".whl", ".tar.gz")[index % 2]))
        run(*installer(bin_folder), "--force-reinstall", "--no-deps", os.path.join(built, one))
        failed += [f"{name} {file}" for file in files if not passes(os.path.join(bin_folder, "python"), file, tests)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main(
        os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="farthing-python-"), sys.argv[2:]
    )
