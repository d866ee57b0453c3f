"""Each call of the package to the system or to the standard library fails once: the host gets what it gets without (D35.2)."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import os
import re
import sys
import threading
import unittest
import unittest.mock
from pathlib import Path
from typing import Any, Callable, ClassVar, Dict, Iterator, Set, Tuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standins"))

import langchain_core
import litellm
import llama_index
from botocore.client import BaseClient
from cohere import ClientV2
from google.genai import Client
from mistralai import Mistral
from openai import AsyncOpenAI, OpenAI
from support import Intake, Provider, eventually, free_port, here, reporting
from test_guard import Service

import farthing
import farthing.langchain
import farthing.litellm
import farthing.llama_index
from farthing import _guard, _queue

inside = os.path.dirname(os.path.abspath(farthing.__file__))
system = {"posix", "time", "_socket", "_ssl", "_io", "_codecs", "select", "atexit"}
does_input_or_output = re.compile(r"urllib|http/|socket|ssl|logging|threading|importlib|codecs|/os\.py|/queue\.py")
chat: Any = {"model": "gpt-5", "messages": []}

# Calls that the system may refuse, by their first or last name. Of `api`, which asks, the host gets the error.
refusable = {"threading", "urllib", "logging", "codecs", "open", "start", "urandom"}
# Made when a module is imported, or a look-up of a module that is there.
harmless = {"RLock", "Lock", "parent"}
# Whether of the calls at each place only the first fails, which takes less time.
only_places = os.environ.get("FAULTS") == "places"


def lines_that_do_io() -> Iterator[Tuple[str, range]]:
    """The calls of the package that the system may refuse: the file, and the lines of each."""
    for path in Path(inside).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = ast.unparse(node.func).split(".") if isinstance(node, ast.Call) else []
            if refusable.intersection((*names[:1], *names[-1:])) and not harmless.intersection(names):
                yield path.name, range(node.lineno, (node.end_lineno or 0) + 1)  # type: ignore[attr-defined]


class Fault:
    """Fails the call of a number, or the first at a place, of those that the package makes to what is not its own."""

    def __init__(self, number: int = 0, place: str = "") -> None:
        self.number, self.place, self.count, self.where = number, place, 0, ""
        self.seen: Set[str] = set()

    def __call__(self, frame: Any, event: str, called: Any) -> None:
        if event == "c_call":
            caller, name = frame, str(getattr(called, "__name__", called))
            own = getattr(called, "__self__", None)
            is_outside = bool({getattr(called, "__module__", None), type(own).__module__} & system)
        elif event == "call":
            caller, name = frame.f_back, frame.f_code.co_name
            file = frame.f_code.co_filename
            is_outside = not file.startswith((inside, here)) and does_input_or_output.search(file) is not None
            is_outside = is_outside and name not in harmless
        else:
            return
        if caller is None or not is_outside or not caller.f_code.co_filename.startswith(inside):
            return
        self.count += 1
        at = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno} {name}"
        self.seen.add(at)
        if self.count == self.number or (at == self.place and not self.where):
            self.where = at
            raise OSError(f"injected at {self.where}")


class Faults(unittest.TestCase):
    provider: Provider
    intake: Intake
    service: Service
    # Where faults were injected.
    wheres: ClassVar[Set[str]] = set()

    @classmethod
    def setUpClass(cls) -> None:
        cls.provider, cls.intake, cls.service = Provider(), Intake(), Service(amount=1e9)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.provider.close()
        cls.intake.close()
        cls.service.close()
        failed = {where.partition(" ")[0] for where in cls.wheres}
        missing = [one for one in lines_that_do_io() if not failed.intersection(f"{one[0]}:{line}" for line in one[1])]
        assert missing == [], f"no use above has these fail: {missing}"

    def failing(self, use: Callable[[Any], Any], **options: Any) -> None:
        """Uses the package once for each of its calls, which fails."""
        wheres: Set[str] = set()
        seen: Set[str] = set()
        expected = use(reporting(self.intake, **options)[0])

        def uses_with(fault: Fault) -> bool:
            threading.setprofile(fault)
            sys.setprofile(fault)
            try:
                reporter, _ = reporting(self.intake, **options)
                found = use(reporter)
                reporter.close(within_ms=0)
            except Exception as error:
                raise AssertionError(f"a fault reached the host, at {fault.where}") from error
            finally:
                sys.setprofile(None)
                threading.setprofile(None)  # type: ignore[arg-type]
            self.assertEqual(found, expected, fault.where)
            seen.update(fault.seen)
            wheres.update([fault.where] if fault.where else [])
            return fault.where != ""

        if only_places:
            uses_with(Fault())
        else:
            number = 1
            while uses_with(Fault(number)):
                number += 1
        # Threads take turns as they like, so counting can pass a place over; a fault can lead to more of them.
        tried: Set[str] = set()
        while left := sorted(seen - wheres - tried):
            tried.update(left)
            for place in left:
                uses_with(Fault(place=place))
        self.assertGreater(len(wheres), 5)
        self.wheres.update(wheres)

    def client(self, reporter: Any, kind: Any = OpenAI, manner: str = "ok") -> Any:
        return reporter.wrap(kind(api_key="k", base_url=self.provider.at("openai", manner), max_retries=0))

    def test_an_answer_and_a_stream(self) -> None:
        def use(reporter: Any) -> Any:
            client = self.client(reporter)
            with farthing.attribute(customer="acme"):
                answer = client.chat.completions.create(**chat)
                stream = [vars(chunk) for chunk in client.chat.completions.create(**chat, stream=True)]
            reporter.flush(5)
            return vars(answer), len(stream)

        self.failing(use)

    def test_an_error_and_coroutines(self) -> None:
        async def ask(reporter: Any) -> Any:
            found: Dict[str, Any] = {}
            for manner in ("ok", "limited"):
                client = self.client(reporter, AsyncOpenAI, manner)
                try:
                    found[manner] = vars(await client.chat.completions.create(**chat))
                except Exception as error:
                    found[manner] = repr(error)
            return found

        self.failing(lambda reporter: asyncio.run(ask(reporter)))

    def test_blocks_and_events(self) -> None:
        def use(reporter: Any) -> Any:
            with reporter.call(model="m") as report:
                report({"usage": {"prompt_tokens": 1}})
            reporter.track("tick", at=use)
            return reporter.flush(5) in (True, False)

        self.failing(use)

    def test_guards(self) -> None:
        def use(reporter: Any) -> Any:
            async def ask() -> str:
                async with reporter.guard("b", of="acme"):
                    return "made"

            with reporter.guard("b", of="globex"), reporter.call(model="m"):
                found = asyncio.run(ask())
            _queue._after_fork()
            _guard._knowledge.clear()
            return found

        with unittest.mock.patch("farthing._guard._lesson_every_s", 0):
            self.failing(use, url=self.service.url, api_key="fk_x")

    def test_other_clients_and_frameworks(self) -> None:
        def use(reporter: Any) -> Any:
            bedrock = reporter.wrap(BaseClient(self.provider.at("bedrock")))
            google = reporter.wrap(Client(self.provider.at("google")))._api_client
            mistral = reporter.wrap(Mistral(self.provider.at("mistral")))
            fern = reporter.wrap(ClientV2(self.provider.at("cohere")))._client_wrapper.httpx_client
            return [
                bedrock.call("InvokeModel", modelId="us.amazon.nova-pro-v1:0")["body"].read(),
                google.request("post", "models/gemini-2.5-flash:generateContent", {}).body,
                mistral.ask("/v1/chat/completions", model="m").content,
                fern.request("v2/chat", method="POST", json={"model": "c"}).content,
            ]

        def use_frameworks(reporter: Any) -> Any:
            litellm.callbacks = [farthing.litellm.Logger(reporter)]
            langchain, llama = farthing.langchain.Handler(reporter), farthing.llama_index.Handler(reporter)
            return [
                litellm.completion(lambda: {"id": "a"}, "a", ends=2),
                langchain_core.ChatModel(langchain, lambda: {"id": "b"}).invoke(),
                llama_index.Model(llama, lambda: {"id": "c"}).chat("s1"),
            ]

        self.failing(use)
        self.failing(use_frameworks)

    def test_a_service_that_is_away_and_the_end_of_a_process(self) -> None:
        def use(reporter: Any) -> Any:
            reporter.track("tick")
            # Until the service was found away, unless that is what fails.
            with contextlib.suppress(AssertionError):
                eventually(lambda: getattr(reporter._queue, "_failures", True), 0.2)
            _queue.end_all()
            return True

        with unittest.mock.patch("farthing._queue._exit_s", 0.01), self.assertLogs("farthing"):
            self.failing(use, url=f"http://127.0.0.1:{free_port()}", on_problem=None)


if __name__ == "__main__":
    unittest.main()
