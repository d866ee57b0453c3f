"""The servers and workers that fork, thread and end processes: gunicorn, uvicorn and Celery."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

from support import Intake, Provider, eventually, free_port, here

# What the servers run: a call for each request, by a client that is made when the module is imported.
web = """
import os, openai, farthing
client = farthing.wrap(openai.OpenAI(api_key="k", base_url=os.environ["PROVIDER"]))
if os.environ.get("EARLY"):
    client.chat.completions.create(model="gpt-5", messages=[], extra_headers={})
def ask(customer):
    with farthing.attribute(customer=customer):
        client.chat.completions.create(model="gpt-5", messages=[])
def app(environ, start):
    ask(environ["PATH_INFO"].strip("/"))
    start("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]
aclient = farthing.wrap(openai.AsyncOpenAI(api_key="k", base_url=os.environ["PROVIDER"]))
async def asgi(scope, receive, send):
    if scope["type"] != "http":
        return
    with farthing.attribute(customer=scope["path"].strip("/")):
        await aclient.chat.completions.create(model="gpt-5", messages=[])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(os.getpid()).encode()})
"""

tasks = """
import os
from celery import Celery
from web import ask
app = Celery("tasks", broker="filesystem://")
app.conf.update(
    broker_transport_options={name: os.environ["BROKER"] for name in ("data_folder_in", "data_folder_out", "control_folder")},
    worker_hijack_root_logger=False, task_ignore_result=True,
)
@app.task
def work(customer):
    ask(customer)
"""


class Processes(unittest.TestCase):
    provider: Provider

    @classmethod
    def setUpClass(cls) -> None:
        cls.provider = Provider()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.provider.close()

    def setUp(self) -> None:
        self.intake = Intake()
        self.addCleanup(self.intake.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in (("web.py", web), ("tasks.py", tasks)):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)

    def start(self, *command: str, **environment: str) -> Any:
        paths = [self.folder, *(path for path in sys.path if path.endswith("src"))]
        settings: Dict[str, str] = {
            **os.environ,
            "FARTHING_URL": self.intake.url,
            "FARTHING_CLIENT_ID": "c",
            "FARTHING_CLIENT_SECRET": "s",
            "PROVIDER": self.provider.at("openai"),
            "PYTHONPATH": os.pathsep.join(paths),
            **environment,
        }
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.addCleanup(self.log.close)
        process = subprocess.Popen(
            [sys.executable, "-m", *command], cwd=self.folder, env=settings, stdout=self.log, stderr=self.log
        )
        self.addCleanup(process.kill)
        return process

    def ask(self, port: int, count: int) -> List[str]:
        """Asks as many times at once, and answers the processes that have answered."""

        def one(index: int) -> str:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/c{index}", timeout=60).read().decode()

        def is_up() -> bool:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/up", timeout=60).read()
                return True
            except OSError:
                time.sleep(0.1)
                return False

        eventually(is_up, 60)
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(one, range(count)))

    def stop(self, process: Any, how: int = signal.SIGTERM) -> int:
        process.send_signal(how)
        return int(process.wait(60))

    def customers(self) -> List[str]:
        return sorted(str(event["tags"].get("customer")) for event in self.intake.of("after"))

    def serve(self, count: int, *command: str, **environment: str) -> None:
        port = free_port()
        process = self.start(*[part.format(port=port) for part in command], **environment)
        pids = self.ask(port, count)
        self.assertIn(self.stop(process), (0, -signal.SIGTERM))
        early = ["None"] if environment.get("EARLY") else []
        if early and "--preload" not in command:
            early *= 4
        expected = sorted([*early, "up", *(f"c{index}" for index in range(count))])
        self.assertEqual(self.customers(), expected)
        self.assertEqual(len(self.intake.events), 2 * len(expected))
        if "4" in command:
            self.assertGreater(len(set(pids)), 1)

    def test_gunicorn(self) -> None:
        gunicorn = ("gunicorn", "-w", "4", "-b", "127.0.0.1:{port}", "web:app")
        self.serve(60, *gunicorn)

    def test_gunicorn_preload_with_a_call_before_the_fork(self) -> None:
        self.serve(60, "gunicorn", "-w", "4", "--preload", "-b", "127.0.0.1:{port}", "web:app", EARLY="1")

    def test_gunicorn_with_threads_and_workers_that_are_replaced(self) -> None:
        self.serve(
            60, "gunicorn", "-w", "4", "--threads", "4", "--max-requests", "7", "-b", "127.0.0.1:{port}", "web:app"
        )

    def test_uvicorn(self) -> None:
        self.serve(60, "uvicorn", "--port", "{port}", "web:asgi")

    def test_uvicorn_with_workers(self) -> None:
        self.serve(60, "uvicorn", "--workers", "2", "--port", "{port}", "web:asgi")

    def test_celery_prefork(self) -> None:
        broker = os.path.join(self.folder, "broker")
        os.mkdir(broker)
        worker = self.start("celery", "-A", "tasks", "worker", "-c", "4", "-l", "INFO", BROKER=broker)
        send = "from tasks import work\nfor i in range(40): work.delay(f'c{i}')"
        environment = {**os.environ, "BROKER": broker, "PROVIDER": "", "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", send], cwd=self.folder, env=environment, check=True, timeout=60)

        def is_done() -> bool:
            time.sleep(0.1)
            with open(self.log.name) as log:
                return log.read().count("succeeded in") >= 40

        eventually(is_done, 60)
        self.stop(worker)
        self.assertEqual(self.customers(), sorted(f"c{index}" for index in range(40)))

    def test_an_error_when_the_application_is_imported(self) -> None:
        with open(os.path.join(self.folder, "web.py"), "a") as file:
            file.write("\nraise RuntimeError('mine')\n")
        process = self.start("gunicorn", "-w", "1", "-b", f"127.0.0.1:{free_port()}", "web:app", EARLY="1")
        self.assertNotEqual(process.wait(60), 0)
        self.assertEqual(self.customers(), ["None"])


if __name__ == "__main__":
    _ = here
    unittest.main()
