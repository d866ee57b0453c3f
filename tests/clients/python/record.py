"""Records what real packages of Python send, each in an environment of its own, against a provider with known answers.

    python tests/clients/python/record.py [--out FOLDER] [--environments FOLDER] [--lock] [SETUP …]

It writes a recording for each of the files in `setups` to `tests/fixtures/recordings`, with what it must come to in `expected.json`
beside it. The environments stay in their folder; `locked` pins their packages, with the hashes of those for CPython 3.11 on Linux.
`--lock` pins them anew.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

here = Path(__file__).resolve().parent
root = here.parents[2]
exporter = ["opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"]
environments: Dict[str, Any] = json.loads((here / "environments.json").read_text())

#: USD per million tokens, by the providers' pages: input, cache_read, cache_write, cache_write_1h, output with reasoning.
prices: List[Tuple[str, Dict[str, float]]] = [
    ("gpt-4o-2024-08-06", {"input": 2.5, "cache_read": 1.25, "output": 10}),
    ("text-embedding-3-small", {"input": 0.02}),
    ("us.anthropic.claude-sonnet-4-5", {"input": 3.3, "cache_read": 0.33, "cache_write": 4.125, "output": 16.5}),
    ("claude-sonnet-4-5", {"input": 3, "cache_read": 0.3, "cache_write": 3.75, "cache_write_1h": 6, "output": 15}),
    ("gemini-2.5-flash", {"input": 0.3, "cache_read": 0.03, "output": 2.5}),
]
#: The wider kind as which tokens count where a package does not say their kind.
wider = {"cache_read": "input", "reasoning": "output", "cache_write_1h": "cache_write"}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def packages_of(environment: str) -> List[str]:
    return [*exporter, *environments[environment]["packages"]]


def lock(environment: str) -> None:
    """Pins what `uv` finds for an environment, with the hash of each file that `pip` takes."""
    asked = "\n".join(packages_of(environment))
    command = ["uv", "pip", "compile", "-q", "--no-annotate", "--no-header", "--python-version", "3.11", "-"]
    pinned = subprocess.run(command, input=asked, check=True, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        (Path(folder) / "pinned.txt").write_text(pinned)
        pip = [f"{folder}/bin/pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--ignore-installed"]
        report = json.loads(run(*pip, "--dry-run", "--report", "-", "-r", f"{folder}/pinned.txt"))
    lines = [
        f"{one['metadata']['name']}=={one['metadata']['version']} "
        f"--hash=sha256:{one['download_info']['archive_info']['hashes']['sha256']}"
        for one in report["install"]
    ]
    (here / "locked" / f"{environment}.txt").write_text("".join(f"{line}\n" for line in sorted(lines, key=str.lower)))


def make(environment: str, folder: Path) -> Path:
    """The Python of an environment."""
    if not (folder / environment / "made").exists():
        venv.create(folder / environment, with_pip=True, clear=True)
        pip = str(folder / environment / "bin" / "pip")
        run(
            pip,
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--require-hashes",
            "-r",
            locked(environment),
        )
        (folder / environment / "made").touch()
    return folder / environment / "bin" / "python"


def locked(environment: str) -> str:
    return str(here / "locked" / f"{environment}.txt")


def versions(environment: str) -> str:
    """Those of the packages that are asked for by name."""
    named = {re.split(r"[\[<>=]", one)[0].lower() for one in environments[environment]["packages"]}
    lines = [line.split(" ")[0] for line in Path(locked(environment)).read_text().splitlines()]
    return " ".join(line for line in lines if line.split("==")[0].lower().replace("_", "-") in named)


def record(setup: str, python: Path) -> Dict[str, Any]:
    """What a set-up was answered and posted."""
    from provider import Provider

    provider = Provider()
    url = provider.url
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR", "HOME")}
    environment.update(
        PROVIDER=url,
        PYTHONPATH=str(here),
        PYTHONSAFEPATH="1",
        PYTHONDONTWRITEBYTECODE="1",
        OPENAI_API_KEY="x",
        OPENAI_BASE_URL=f"{url}/v1",
        ANTHROPIC_API_KEY="x",
        ANTHROPIC_BASE_URL=url,
        GOOGLE_API_KEY="x",
        GOOGLE_GEMINI_BASE_URL=url,
        AWS_ACCESS_KEY_ID="x",
        AWS_SECRET_ACCESS_KEY="x",
        AWS_DEFAULT_REGION="us-east-1",
        AWS_EC2_METADATA_DISABLED="true",
        OTEL_SERVICE_NAME="app",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"{url}/otlp",
        OTEL_METRICS_EXPORTER="none",
    )
    try:
        command = [str(python), str(here / "setups" / f"{setup}.py")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
        if done.returncode != 0:
            raise RuntimeError(f"{setup} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    finally:
        provider.close()
    decoding = [str(python), str(here / "decode.py")]
    posts = subprocess.run(
        decoding, input=json.dumps(provider.posts), check=True, capture_output=True, text=True
    ).stdout
    return {"truth": provider.truth, "posts": [trim(one) for one in json.loads(posts)]}


def trim(post: Dict[str, Any]) -> Dict[str, Any]:
    """Without what says where it was recorded."""
    text = json.dumps(post, ensure_ascii=False)
    for place, name in ((str(root), "/app"), (os.path.expanduser("~"), "/home"), (socket.gethostname(), "host")):
        text = text.replace(place, name)
    # The places of modules in an environment.
    text = re.sub(r"(?:/[\w.+-]+)+/(?:site-packages|dist-packages|lib/python3\.\d+)/", "/lib/", text)
    trimmed: Dict[str, Any] = without_machine(json.loads(text))
    return trimmed


def without_machine(value: Any) -> Any:
    if isinstance(value, list):
        kept = [one for one in value if not (isinstance(one, dict) and is_of_machine(str(one.get("key", ""))))]
        return [without_machine(one) for one in kept]
    if isinstance(value, dict):
        return {name: without_machine(one) for name, one in value.items()}
    if isinstance(value, str) and value.startswith("Traceback"):
        return value.splitlines()[-1]
    return value


def is_of_machine(key: str) -> bool:
    return key.startswith(("process.", "host.", "os.", "code."))


def expectation(truth: List[Dict[str, Any]], setup: Dict[str, Any]) -> Dict[str, Any]:
    """What a recording must come to: `unsaid` are kinds of tokens that the packages do not tell apart."""
    tokens: Dict[str, int] = {}
    cost = 0.0
    for one in truth:
        for kind, count in one["tokens"].items():
            for unsaid in setup.get("unsaid", []):
                kind = wider[kind] if kind == unsaid else kind
            tokens[kind] = tokens.get(kind, 0) + count
            cost += count * price(one["model"], kind)
    expected: Dict[str, Any] = {
        "calls": len(truth),
        "cost": round(cost, 12),
        "customer": "acme",
        "user": "ann",
        "feature": "chat",
        "tokens": tokens,
    }
    # What is otherwise said of a set-up, and `null` for what is not.
    expected.update(setup.get("expected", {}))
    return {name: value for name, value in expected.items() if value is not None}


def price(model: str, kind: str) -> float:
    rates = next(rates for prefix, rates in prices if model.startswith(prefix))
    return rates["output" if kind == "reasoning" else kind] / 1e6


def chosen(names: List[str]) -> Iterator[Tuple[str, str, Dict[str, Any]]]:
    for environment, described in environments.items():
        for setup, facts in described["setups"].items():
            if not names or setup in names or environment in names:
                yield environment, setup, facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SETUP")
    parser.add_argument("--out", type=Path, default=root / "tests" / "fixtures" / "recordings")
    parser.add_argument("--environments", type=Path, default=None)
    parser.add_argument("--lock", action="store_true")
    asked = parser.parse_args()
    folder = asked.environments or Path(tempfile.mkdtemp(prefix="farthing-python-"))
    if asked.lock:
        for environment in environments:
            if not asked.names or environment in asked.names:
                lock(environment)
        return
    asked.out.mkdir(parents=True, exist_ok=True)
    failed: List[str] = []
    for environment, setup, facts in chosen(asked.names):
        name = f"python-{setup.replace('_', '-')}"
        try:
            found = record(setup, make(environment, folder))
        except (RuntimeError, subprocess.SubprocessError) as error:
            failed.append(setup)
            print(error, getattr(error, "stderr", ""), file=sys.stderr)
            continue
        recording = {"name": name, "versions": versions(environment), **found}
        (asked.out / f"{name}.json").write_text(compact(recording))
        note(asked.out / "expected.json", name, expectation(found["truth"], facts))
        print(f"{name}: {len(found['truth'])} answers, {len(found['posts'])} requests", flush=True)
    if failed:
        sys.exit(f"not recorded: {', '.join(failed)}")


def note(path: Path, name: str, expected: Dict[str, Any]) -> None:
    before = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(compact({**before, name: expected}))


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
