"""Makes clients of the document in a folder, checks their types, and asks with them: `generate.py FOLDER`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from record import make

here = Path(__file__).resolve().parent


def main(folder: Path) -> None:
    programs = make("clients", folder / "environments").parent
    environment = {**os.environ, "PATH": os.pathsep.join([str(programs), os.environ["PATH"]])}
    # The package of this repository too, without installing it.
    environment["PYTHONPATH"] = str(here.parents[2] / "packages" / "python" / "src")

    def run(*command: str) -> None:
        print("$", " ".join(command), flush=True)
        done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)
        print(done.stdout[-20_000:], done.stderr[-20_000:], flush=True)
        if done.returncode != 0:
            sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-5_000:]}\n{done.stderr[-5_000:]}")

    run("openapi-python-client", "generate", "--path", "openapi.json", "--output-path", "made", "--overwrite")
    run(
        *("datamodel-codegen", "--input", "openapi.json", "--input-file-type", "openapi", "--output", "models.py"),
        *("--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.11", "--formatters", "builtin"),
        # Its own ways to write types that mypy takes.
        *("--use-annotated", "--set-default-enum-member", "--capitalise-enum-members", "--collapse-root-models"),
        "--no-use-standard-collections",
    )
    shutil.copy(here / "ask.py", folder / "ask.py")
    shutil.move(str(folder / "made" / "farthing_client"), str(folder / "farthing_client"))
    run("mypy", "--strict", "farthing_client", "models.py", "ask.py")
    run("python", "ask.py")
    print("\nwell")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
