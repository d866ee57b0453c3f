"""Many calls while the real service is killed and started again: none that fitted the queue is lost, and none counts twice.

    python tests/real/killed.py [calls]

It needs Node.js and the repository's packages (`npm ci`).
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import eventually, free_port, here

from farthing import Farthing

repository = os.path.abspath(os.path.join(here, "..", "..", ".."))


class Service:
    """The real one, with its own folder of data."""

    def __init__(self, folder: str) -> None:
        self._folder, port = folder, free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._environment = {
            **os.environ,
            "FARTHING_PORT": str(port),
            "FARTHING_DATA_DIR": os.path.join(folder, "data"),
        }
        self.start()
        with open(os.path.join(folder, "data", "first-start.txt")) as file:
            text = file.read()
        self.client, self.secret, self._key = re.findall(r"(?m)^  (?:client id|client secret|API key) +(\S+)$", text)

    def start(self) -> None:
        with open(os.path.join(self._folder, "log"), "a") as log:
            command = ["node", os.path.join(repository, "bin", "farthing.js"), "serve"]
            self._process = subprocess.Popen(
                command, env=self._environment, stdout=log, stderr=log, start_new_session=True, cwd=self._folder
            )
        eventually(self._is_up, 900)

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _is_up(self) -> bool:
        try:
            return bool(urllib.request.urlopen(f"{self.url}/healthz", timeout=5).status == 200)
        except OSError:
            time.sleep(0.1)
            return False

    def usage(self, customer: str) -> Any:
        """The calls of a customer and their input tokens."""
        asked = {"date_from": "2026-01-01", "aggregate": "all", "customers": [customer]}
        request = urllib.request.Request(
            f"{self.url}/api/usage/",
            json.dumps(asked).encode(),
            {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        rows = json.load(urllib.request.urlopen(request, timeout=60))["rows"]
        return (rows[0]["calls"], rows[0]["tokens"]["input"]) if rows else (0, 0)


def main(calls: int) -> None:
    with tempfile.TemporaryDirectory(prefix="farthing-killed-") as folder:
        service = Service(folder)
        done = threading.Event()
        kills = [0]

        def kill_again_and_again() -> None:
            while not done.wait(2):
                service.kill()
                time.sleep(1)
                service.start()
                kills[0] += 1

        # Of two, one has room for all, and one has not, which counts what it drops.
        told: list[Any] = []
        options: Any = {"url": service.url, "client_id": service.client, "client_secret": service.secret}
        roomy = Farthing(**options, max_queued=4 * calls, max_queued_bytes=1 << 30, on_problem=told.append)
        narrow = Farthing(**options, max_queued=500, on_problem=told.append)

        def ask(reporter: Farthing, customer: str, numbers: range) -> None:
            for number in numbers:
                with reporter.call(model="gpt-4o", provider="openai", customer=customer) as report:
                    report({"usage": {"prompt_tokens": number, "completion_tokens": 1}})
                time.sleep(0.004)

        share = calls // 4
        asking = [
            threading.Thread(target=ask, args=(roomy, "roomy", range(index * share, (index + 1) * share)))
            for index in range(4)
        ]
        killing = threading.Thread(target=kill_again_and_again)
        started = time.monotonic()
        for one in (*asking, killing):
            one.start()
        # Each is one event, so that what is dropped shows in what is stored.
        tracked = calls // 4
        for _ in range(tracked):
            narrow.track("chat.after", model="gpt-4o", provider="openai", customer="narrow", prompt_tokens=1)
            time.sleep(0.004)
        for one in asking:
            one.join()
        took_s = time.monotonic() - started
        done.set()
        killing.join()
        assert roomy.flush(600_000) and narrow.flush(600_000)
        found, expected = service.usage("roomy"), (4 * share, sum(range(4 * share)))
        kept = service.usage("narrow")[0]
        most_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{kills[0]} kills in {took_s:.0f} s; at most {most_mib:.0f} MiB; told: {sorted({one.code for one in told})}"
        )
        print(
            f"with room: {found[0]} of {4 * share} calls, {found[1]} of {expected[1]} tokens, {roomy.dropped} dropped"
        )
        print(f"without:   {kept} of {tracked} calls, {narrow.dropped} dropped")
        service.kill()
        assert found == expected and roomy.dropped == 0
        assert kept + narrow.dropped == tracked


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
