"""Each call of the package to the system or to the standard library fails once: the host gets what it gets without (D35.2)."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
import unittest
from typing import Any, Callable, Dict, Set

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standins"))

from openai import AsyncOpenAI, OpenAI
from support import Intake, Provider, here, reporting

import farthing

inside = os.path.dirname(os.path.abspath(farthing.__file__))
system = {"posix", "time", "_socket", "_ssl", "_io", "select", "atexit"}
does_input_or_output = re.compile(r"urllib|http/|socket|ssl|logging|threading|importlib|codecs|/os\.py|/queue\.py")
chat: Any = {"model": "gpt-5", "messages": []}


class Fault:
    """Fails the call of a number, of those that the package makes to what is not its own, in any thread."""

    def __init__(self, number: int) -> None:
        self.number, self.count, self.where = number, 0, ""

    def __call__(self, frame: Any, event: str, called: Any) -> None:
        if event == "c_call":
            caller, name = frame, str(getattr(called, "__name__", called))
            own = getattr(called, "__self__", None)
            is_outside = bool({getattr(called, "__module__", None), type(own).__module__} & system)
        elif event == "call":
            caller, name = frame.f_back, frame.f_code.co_name
            file = frame.f_code.co_filename
            is_outside = not file.startswith((inside, here)) and does_input_or_output.search(file) is not None
            is_outside = is_outside and name != "RLock"
        else:
            return
        if caller is None or not is_outside or not caller.f_code.co_filename.startswith(inside):
            return
        self.count += 1
        if self.count == self.number:
            self.where = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno} {name}"
            raise OSError(f"injected at {self.where}")


class Faults(unittest.TestCase):
    provider: Provider
    intake: Intake

    @classmethod
    def setUpClass(cls) -> None:
        cls.provider, cls.intake = Provider(), Intake()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.provider.close()
        cls.intake.close()

    def failing(self, use: Callable[[Any], Any]) -> None:
        """Uses the package once for each of its calls, which fails."""
        wheres: Set[str] = set()
        expected = use(reporting(self.intake)[0])
        number = 1
        while True:
            fault = Fault(number)
            threading.setprofile(fault)
            sys.setprofile(fault)
            try:
                reporter, _ = reporting(self.intake)
                found = use(reporter)
                reporter.close(within_ms=0)
            except Exception as error:
                raise AssertionError(f"a fault reached the host, at {fault.where}") from error
            finally:
                sys.setprofile(None)
                threading.setprofile(None)  # type: ignore[arg-type]
            self.assertEqual(found, expected, fault.where)
            if fault.count < number:
                break
            wheres.add(fault.where)
            number += 1
        self.assertGreater(len(wheres), 5)

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


if __name__ == "__main__":
    unittest.main()
