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
import shutil
import socket
import subprocess
import sys
import tempfile
import venv
from fnmatch import fnmatch
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
    """Pins what `uv` finds for an environment, with the hash of the file of each package that fits this Python best."""
    import tomllib
    from pip._vendor.packaging.tags import sys_tags
    from pip._vendor.packaging.utils import parse_wheel_filename

    asked = "\n".join(packages_of(environment))
    command = ["uv", "pip", "compile", "-q", "--python-version", "3.11", "--format", "pylock.toml", "-"]
    found = subprocess.run(command, input=asked, check=True, capture_output=True, text=True).stdout
    order = {tag: place for place, tag in enumerate(sys_tags())}

    def rank(wheel: Dict[str, Any]) -> int:
        tags = parse_wheel_filename(wheel["url"].split("/")[-1])[3]
        return min(order.get(tag, len(order)) for tag in tags)

    lines: List[str] = []
    for one in tomllib.loads(found)["packages"]:
        best = min(one["wheels"], key=rank) if "wheels" in one else one["sdist"]
        lines.append(f"{one['name']}=={one['version']} --hash=sha256:{best['hashes']['sha256']}\n")
    (here / "locked" / f"{environment}.txt").write_text("".join(sorted(lines)))


def make(environment: str, folder: Path) -> Path:
    """The Python of an environment, whose packages `uv` installs in a tenth of the time where it is there."""
    python = folder / environment / "bin" / "python"
    if not (folder / environment / "made").exists():
        uv = shutil.which("uv")
        venv.create(folder / environment, with_pip=uv is None, clear=True)
        pip = [str(python), "-m", "pip"] if uv is None else [uv, "pip"]
        where = [] if uv is None else ["--python", str(python)]
        run(*pip, "install", "-q", *where, "--no-deps", "--require-hashes", "-r", locked(environment))
        (folder / environment / "made").touch()
    return python


def locked(environment: str) -> str:
    return str(here / "locked" / f"{environment}.txt")


def versions(environment: str, facts: Dict[str, Any]) -> str:
    """Those of the packages of a set-up that make its reports."""
    pinned = dict(line.split(" ")[0].split("==") for line in Path(locked(environment)).read_text().splitlines())
    by_name = {name.lower().replace("_", "-"): version for name, version in pinned.items()}
    return ", ".join([*(f"{name} {by_name[name]}" for name in facts["of"]), *facts.get("part", [])])


def record(setup: str, facts: Dict[str, Any], python: Path) -> Dict[str, Any]:
    """What a set-up was answered and posted."""
    from provider import Provider

    provider = Provider()
    # The package passes on what a provider says of a fault.
    provider.refusal = facts.get("refusal", provider.refusal)
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
        FARTHING_URL=url,
        FARTHING_CLIENT_ID="5045c1bc",
        FARTHING_CLIENT_SECRET="fs_",
        OTEL_SERVICE_NAME="app",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"{url}/otlp",
        OTEL_METRICS_EXPORTER="none",
        **{name: value.replace("URL", url) for name, value in facts.get("variables", {}).items()},
    )
    try:
        command = [*facts.get("by", []), str(python), str(here / "setups" / f"{facts.get('script', setup)}.py")]
        environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
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
        # LiteLLM repeats its prices of a model in each record.
        return {name: without_machine(one) for name, one in value.items() if name != "model_map_information"}
    if isinstance(value, str) and value.startswith("Traceback"):
        return value.splitlines()[-1]
    return value


def is_of_machine(key: str) -> bool:
    return key.startswith(("process.", "host.", "os.", "code.")) or key.endswith("revision_id")


def expectation(truth: List[Dict[str, Any]], facts: Dict[str, Any]) -> Dict[str, Any]:
    """What a recording must come to. By patterns of kinds of requests, `silent` are those that the packages do not report,
    `unsaid` the kinds of tokens that they do not tell apart, `lost` those that they leave out, and `guessed` how many output
    tokens they take it that there were. `charged` is what the provider counted."""
    tokens: Dict[str, int] = {}
    calls, cost, charged = 0, 0.0, 0.0
    for one in truth:
        charged += sum(count * price(one["model"], kind) for kind, count in one["tokens"].items())
        if any(fnmatch(one["of"], pattern) for pattern in facts.get("silent", [])):
            continue
        calls += 1
        unsaid, lost = matching(one["of"], facts.get("unsaid", {})), matching(one["of"], facts.get("lost", {}))
        guessed = facts.get("guessed", {}).get(one["of"], 0)
        for kind, count in {**one["tokens"], **({"output": guessed} if guessed else {})}.items():
            told = kind
            while told in unsaid:
                told = wider[told]
            if kind not in lost:
                tokens[told] = tokens.get(told, 0) + count
                cost += count * price(one["model"], told)
    expected: Dict[str, Any] = {
        "calls": calls,
        "cost": round(cost, 12),
        "charged": round(charged, 12),
        "customer": "acme",
        "user": "ann",
        "feature": "chat",
        "tokens": tokens,
    }
    # What is otherwise said of a set-up, and `null` for what is not.
    expected.update(facts.get("expected", {}))
    return {name: value for name, value in expected.items() if value is not None}


def matching(of: str, rules: Dict[str, List[str]]) -> List[str]:
    """The kinds of tokens in the rules for a kind of request."""
    return [kind for pattern, kinds in rules.items() if fnmatch(of, pattern) for kind in kinds]


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
            found = record(setup, facts, make(environment, folder))
        except (RuntimeError, subprocess.SubprocessError) as error:
            failed.append(setup)
            print(error, getattr(error, "stderr", ""), file=sys.stderr)
            continue
        recording = {"name": name, "versions": versions(environment, facts), **found}
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
