"""Whom calls are for, `call` and `track` (D15.2, D35.1)."""

from __future__ import annotations

import asyncio
import contextvars
import enum
import os
import sys
import threading
import unittest
import unittest.mock
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any, AsyncIterator, Iterator, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from support import Intake, answers, reporting

from farthing import attribute
from farthing._attribution import current_tags
from farthing._json import to_plain
from farthing._reading import Reading


class Plan(enum.Enum):
    PRO = "pro"


class Attributed(unittest.TestCase):
    def test_inner_ones_add_to_outer_ones_and_end_with_their_blocks(self) -> None:
        with attribute(customer="acme", tags={"plan": Plan.PRO, "seats": 3}):
            with attribute(customer="globex", run=uuid.UUID(int=7), trial=True, price=Decimal("1.5")):
                inner = current_tags()
            outer = current_tags()
        self.assertEqual(outer, {"customer": "acme", "plan": "pro", "seats": "3"})
        self.assertEqual(
            inner, {**outer, "customer": "globex", "run": str(uuid.UUID(int=7)), "trial": "true", "price": "1.5"}
        )
        self.assertEqual(current_tags(), {})

    def test_limits_of_the_intake(self) -> None:
        with attribute(customer="c" * 2000, tags={f"{index}{'k' * 200}": index for index in range(150)}):
            tags = current_tags()
        self.assertEqual((len(tags), len(tags["customer"]), max(map(len, tags))), (97, 1024, 128))

    def test_what_has_no_text_attributes_nothing_and_raises_nothing(self) -> None:
        class Hostile:
            def __str__(self) -> str:
                raise RuntimeError("mine")

        for value in (Hostile(), {"a": 1}, [1], None, b"x"):
            with attribute(customer=value):
                self.assertEqual(current_tags(), {})
        with self.assertRaises(KeyError), attribute(customer="acme"):
            raise KeyError("mine")

    def test_trap_12_tasks_and_threads(self) -> None:
        async def run() -> List[Any]:
            with attribute(customer="acme"):
                task = asyncio.create_task(seen())
                in_thread = await asyncio.get_running_loop().run_in_executor(
                    None, contextvars.copy_context().run, current_tags
                )
            with attribute(customer="globex"):
                return [await task, in_thread, await seen()]

        async def seen() -> Any:
            await asyncio.sleep(0)
            return current_tags()

        self.assertEqual([tags["customer"] for tags in asyncio.run(run())], ["acme", "acme", "globex"])
        with attribute(customer="acme"), ThreadPoolExecutor(1) as pool:
            self.assertEqual(pool.submit(contextvars.copy_context().run, current_tags).result(), {"customer": "acme"})

    def test_trap_13_a_block_that_ends_in_another_context_raises_nothing(self) -> None:
        block = attribute(customer="acme")
        contextvars.copy_context().run(block.__enter__)
        block.__exit__()
        block.__exit__()
        one = attribute(customer="acme")
        first, second = contextvars.copy_context(), contextvars.copy_context()
        for step in (one.__enter__, one.__exit__):
            first.run(step)
            second.run(step)
            self.assertEqual(first.run(current_tags), second.run(current_tags))
        self.assertEqual(first.run(current_tags), {})
        seen = []

        def work() -> None:
            for _ in range(200):
                with one:
                    seen.append(current_tags()["customer"])
                seen.append(current_tags().get("customer"))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((seen.count("acme"), seen.count(None)), (800, 800))

    def test_decorated_functions_of_each_kind(self) -> None:
        @attribute(customer="acme")
        def plain() -> Any:
            return current_tags()

        @attribute(customer="acme")
        async def coroutine() -> Any:
            await asyncio.sleep(0)
            return current_tags()

        @attribute(customer="acme")
        def generator() -> Iterator[Any]:
            received = yield current_tags()
            try:
                yield received
            finally:
                ended.append(current_tags())

        @attribute(customer="acme")
        async def stream() -> AsyncIterator[Any]:
            yield current_tags()
            await asyncio.sleep(0)
            yield current_tags()

        async def run() -> List[Any]:
            return [await coroutine(), *[(tags, current_tags()) async for tags in stream()]]

        ended: List[Any] = []
        acme = {"customer": "acme"}
        self.assertEqual(plain(), acme)
        self.assertEqual(plain.__name__, "plain")
        self.assertEqual(asyncio.run(run()), [acme, (acme, {}), (acme, {})])
        items: Any = generator()
        self.assertEqual((next(items), current_tags(), items.send(7)), (acme, {}, 7))
        items.close()
        self.assertEqual(len(ended), 1)


class Reported(unittest.TestCase):
    def setUp(self) -> None:
        self.intake = Intake()
        self.farthing, self.told = reporting(self.intake)
        self.addCleanup(self.intake.close)

    def test_a_block_is_one_call_with_the_usage_that_is_reported(self) -> None:
        fields = {
            "type": "bedrock",
            "model": "nova",
            "provider": "aws",
            "customer": 7,
            "tags": {"plan": "pro"},
            "audio_seconds": 2,
        }
        with self.farthing.call(**fields) as report:
            report({"usage": {"inputTokens": 7, "outputTokens": 2}, "output": {"text": "secret"}})
        self.farthing.flush()
        before, after = self.intake.events
        common = {"model": "nova", "provider": "aws", "tags": {"customer": "7", "plan": "pro"}, "audio_seconds": 2}
        self.assertEqual({**before, **common, "event_type": "bedrock.before"}, before)
        self.assertEqual({**after, **common, "event_type": "bedrock.after"}, after)
        self.assertEqual(after["response"], {"usage": {"inputTokens": 7, "outputTokens": 2}})
        with self.farthing.call(model="nova"):
            pass
        self.farthing.flush()
        told = [one.get("usage_not_reported") for one in self.intake.of("after")]
        self.assertEqual(told, [None, True])

    def test_an_error_is_reported_and_raised_and_a_cancelled_one_is_aborted(self) -> None:
        for error in (ValueError("too long" * 100), KeyboardInterrupt()):
            with self.assertRaises(type(error)) as raised, self.farthing.call(model="m") as report:
                report({"usage": {"prompt_tokens": 1}})
                raise error
            self.assertIs(raised.exception, error)
        self.farthing.flush()
        failed, stopped = self.intake.of("error")
        self.assertEqual((failed["error_type"], failed["error_message"]), ("ValueError", ("too long" * 100)[:500]))
        self.assertEqual((stopped["error_type"], stopped["aborted"]), ("KeyboardInterrupt", True))
        self.assertEqual(failed["response"], {"usage": {"prompt_tokens": 1}})

    def test_events_of_a_stream_are_reported_one_by_one(self) -> None:
        with self.farthing.call(model="claude") as report:
            for event in answers.messages_events("claude-2"):
                report(event)
        self.farthing.flush()
        self.assertEqual(self.intake.events[1]["response"]["usage"], answers.messages_usage)
        self.assertEqual(self.intake.events[1]["model"], "claude-2")

    def test_track_sends_its_fields_and_whom_it_is_for(self) -> None:
        with attribute(customer="acme"):
            self.farthing.track("ticket.resolved", user="ann", minutes=12.5, data={"ids": [uuid.UUID(int=1)]})
        self.farthing.flush()
        event = self.intake.events[0]
        self.assertEqual(event["tags"], {"customer": "acme", "user": "ann"})
        self.assertEqual(
            (event["event_type"], event["minutes"], event["data"]),
            ("ticket.resolved", 12.5, {"ids": [str(uuid.UUID(int=1))]}),
        )


class Read(unittest.TestCase):
    def read(self, *answers_: Any) -> Any:
        reading = Reading()
        for answer in answers_:
            reading.take(answer)
        return reading.to_fields()

    def test_tools_of_an_answer_without_what_they_made(self) -> None:
        answer = {
            "id": "resp_1",
            "usage": {"input_tokens": 9, "output_tokens": 4},
            "tools": [
                {"type": "image_generation", "model": "gpt-image-1", "user": "secret"},
                {"type": "function", "name": "secret"},
            ],
            "tool_usage": {"image_gen": {"input_tokens": 50}},
            "output": [
                {"type": "image_generation_call", "id": "ig_1", "result": "secret", "revised_prompt": "secret"},
                {"type": "message", "content": "secret"},
            ],
        }
        expected = {
            "id": "resp_1",
            "usage": answer["usage"],
            "tools": [{"type": "image_generation", "model": "gpt-image-1"}],
            "tool_usage": answer["tool_usage"],
            "output": [{"type": "image_generation_call", "result": "-"}],
        }
        self.assertEqual(self.read(answer)["response"], expected)

    def test_units_of_what_has_no_tokens(self) -> None:
        self.assertEqual(self.read({"data": [{"url": "a"}, {"url": "b"}]})["images"], 2)
        self.assertNotIn("images", self.read({"data": [{"url": "a"}], "usage": {"input_tokens": 1}}))
        self.assertEqual(self.read(answers.transcription_answer)["audio_seconds"], 12.5)
        cites = {"choices": [{"message": {"annotations": [{"type": "url_citation"}]}, "finish_reason": "stop"}]}
        self.assertEqual(self.read(cites)["web_searches"], 1)

    def test_what_is_no_answer_says_nothing(self) -> None:
        for answer in (None, 7, "text", b"bytes", [], {}, object(), unittest.mock.MagicMock(), Reading):
            self.assertEqual(self.read(answer)["response"], {})

    def test_plain_values(self) -> None:
        value = {"a": (1, {2}), "b": float("inf"), "c": uuid.UUID(int=1), 3: None}
        self.assertEqual(to_plain(value), {"a": [1, [2]], "b": None, "c": str(uuid.UUID(int=1)), "3": None})


if __name__ == "__main__":
    unittest.main()
