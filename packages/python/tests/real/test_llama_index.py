"""The real packages of LlamaIndex: each request of a model is one call, alone and beside a wrapped client."""

from __future__ import annotations

import asyncio
import os
import sys
import unittest
from typing import Any

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

import openai
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAI
from support import Asking, answers

from farthing import attribute
from farthing.llama_index import Handler

asked = [ChatMessage(role="user", content="hi")]


async def of(stream: Any) -> Any:
    return [one async for one in stream]


async def achat(model: Any) -> Any:
    return await model.achat(asked)


async def astream(model: Any) -> Any:
    return await of(await model.astream_chat(asked))


uses = {
    "chat": lambda model: model.chat(asked),
    "stream": lambda model: list(model.stream_chat(asked)),
    "complete": lambda model: model.complete("hi"),
    "achat": achat,
    "astream": astream,
}


class WithLlamaIndex(Asking, unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.handler = Handler(self.farthing)
        get_dispatcher().add_event_handler(self.handler)

    def tearDown(self) -> None:
        get_dispatcher().event_handlers.remove(self.handler)

    def model(self, manner: str = "ok", wrapped: bool = False) -> Any:
        base = self.provider.at("openai", manner)
        clients: Any = {}
        if wrapped:
            clients = {
                "openai_client": self.farthing.wrap(openai.OpenAI(api_key="k", base_url=base, max_retries=0)),
                "async_openai_client": self.farthing.wrap(
                    openai.AsyncOpenAI(api_key="k", base_url=base, max_retries=0)
                ),
            }
        usage = {"stream_options": {"include_usage": True}}
        model: Any = OpenAI(model="gpt-4o", api_key="k", api_base=base, max_retries=0, **clients)
        model.__dict__["_streams"] = usage
        return model

    def outcomes(self, count: int) -> Any:
        last = super().outcomes(count)
        self.assertEqual(self.told, [])
        return last

    async def test_each_request_is_one_call_alone_and_beside_a_wrapped_client(self) -> None:
        for wrapped in (False, True):
            for name, use in uses.items():
                with self.subTest(f"{name}, wrapped {wrapped}"):
                    self.intake.events.clear()
                    model = self.model(wrapped=wrapped)
                    with attribute(customer="acme"):
                        await use(model) if name.startswith("a") else use(model)
                    (after,) = self.outcomes(1)
                    self.assertEqual(after["tags"], {"customer": "acme"})
                    self.assertEqual((after["model"], after["provider"]), ("gpt-4o", "openai"))
                    if wrapped or "stream" not in name:
                        self.assertEqual(after["response"]["usage"], answers.chat_usage)

    async def test_failures_and_streams_that_are_left(self) -> None:
        for wrapped in (False, True):
            self.intake.events.clear()
            with self.assertRaises(Exception):
                self.model("limited", wrapped).chat(asked)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.model("slow", wrapped).achat(asked), 0.3)
            stream = self.model("endless", wrapped).stream_chat(asked)
            next(stream)
            stream.close()
            found = await asyncio.to_thread(self.outcomes, 3)
            by_type = {event.get("error_type"): event for event in found}
            self.assertEqual(by_type["RateLimitError"]["status"], 429)
            self.assertEqual(len([event for event in found if event.get("aborted")]), 2, found)


if __name__ == "__main__":
    unittest.main()
