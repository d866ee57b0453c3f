"""The real packages of LangChain and LangGraph: each request of a model is one call, alone and beside a wrapped client."""

from __future__ import annotations

import asyncio
import os
import sys
import unittest
from functools import partial
from typing import Any

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

import httpx
from langchain_anthropic import ChatAnthropic
from langchain_core.caches import InMemoryCache
from langchain_core.messages import HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent
from pydantic import BaseModel
from support import Asking, answers, eventually

import farthing
from farthing.langchain import Handler


class N(BaseModel):
    n: int


class WithLangChain(Asking, unittest.IsolatedAsyncioTestCase):
    def openai(self, manner: str = "ok", wrapped: bool = False, **more: Any) -> Any:
        model: Any = ChatOpenAI(
            model="gpt-5",
            api_key="k",
            base_url=self.provider.at("openai", manner),
            max_retries=0,
            stream_usage=True,
            # Its own clients are shared between loops, of which each test has one.
            http_async_client=httpx.AsyncClient(),
            **more,
        )
        if wrapped:
            self.farthing.wrap(model.root_client)
            self.farthing.wrap(model.root_async_client)
        return model

    def anthropic(self, manner: str = "ok", **_more: Any) -> Any:
        return ChatAnthropic(
            model_name="claude-sonnet-4-5", api_key="k", base_url=self.provider.at("anthropic", manner), max_retries=0
        )

    @property
    def config(self) -> Any:
        return {"callbacks": [Handler(self.farthing)], "metadata": {"customer": "acme", "feature": "chat"}}

    def ended(self, count: int) -> Any:
        """The last events of calls, if so many have come."""
        self.farthing.flush()
        found = self.intake.of("after") + self.intake.of("error")
        return found if len(found) >= count else None

    def outcomes(self, count: int) -> Any:
        """The last events of so many calls, of which there are no others."""
        eventually(lambda: self.ended(count))
        self.assertEqual(len(self.intake.events), 2 * count)
        self.assertEqual(self.told, [])
        return self.intake.of("after") + self.intake.of("error")

    async def test_each_request_is_one_call_alone_and_beside_a_wrapped_client(self) -> None:
        for wrapped in (False, True):
            for make in (self.openai, self.anthropic):
                model = make(wrapped=wrapped)
                uses: Any = {
                    "invoke": lambda model=model: model.invoke("hi", self.config),
                    "stream": lambda model=model: list(model.stream("hi", self.config)),
                    "structured": lambda model=model: model.with_structured_output(N, method="json_schema").invoke(
                        "hi", self.config
                    ),
                    "chain": lambda model=model: (ChatPromptTemplate.from_template("{a}") | model).invoke(
                        {"a": "hi"}, self.config
                    ),
                }

                async def ainvoke(model: Any = model) -> Any:
                    return await model.ainvoke("hi", self.config)

                async def astream(model: Any = model) -> Any:
                    return [one async for one in model.astream("hi", self.config)]

                for name, use in {**uses, "ainvoke": ainvoke, "astream": astream}.items():
                    with self.subTest(f"{make.__name__}, {name}, wrapped {wrapped}"):
                        self.intake.events.clear()
                        await use() if name.startswith("a") else use()
                        (after,) = self.outcomes(1)
                        usage = after["response"]["usage"]
                        is_openai = make == self.openai
                        self.assertEqual(after["provider"], "openai" if is_openai else "anthropic")
                        self.assertEqual(
                            {**after["tags"], "run": ""}, {"customer": "acme", "feature": "chat", "run": ""}
                        )
                        self.assertEqual(after["event_type"], "langchain.chat.after")
                        if is_openai and wrapped:
                            self.assertEqual(usage, answers.chat_usage)
                        # The input of Anthropic's streams is read from an event that the stand-in leaves without it.
                        counts = {name: usage.get(name) for name in ("prompt_tokens", "output_tokens") if name in usage}
                        expected = {"prompt_tokens": 2006} if "prompt_tokens" in usage else {"output_tokens": 300}
                        self.assertEqual(counts, expected if is_openai else {"output_tokens": 393})

    async def test_batches_are_as_many_calls(self) -> None:
        for wrapped in (False, True):
            model = self.openai(wrapped=wrapped)
            self.intake.events.clear()
            model.batch(["a", "b", "c"], self.config)
            await model.abatch(["a", "b", "c"], self.config)
            two: Any = [[HumanMessage("a")], [HumanMessage("b")]]
            await model.agenerate(two, callbacks=[Handler(self.farthing)])
            model.generate(two, callbacks=[Handler(self.farthing)])
            for after in self.outcomes(10):
                self.assertEqual(after["response"]["usage"]["prompt_tokens"], 2006)

    async def test_an_agent_s_calls_are_one_run(self) -> None:
        agent = create_react_agent(self.openai(), [])
        await agent.ainvoke({"messages": [("user", "hi")]}, self.config)
        (first,) = self.outcomes(1)
        self.assertEqual(len(first["tags"]["run"]), 36)

    async def test_failures_and_streams_that_are_left(self) -> None:
        for wrapped in (False, True):
            self.intake.events.clear()
            with self.assertRaises(Exception):
                self.openai("limited", wrapped).invoke("hi", self.config)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.openai("slow", wrapped).ainvoke("hi", self.config), 0.3)
            stream = self.openai("endless", wrapped).stream("hi", self.config)
            next(stream)
            next(stream)
            stream.close()
            # LangChain does not always tell that a request was cancelled; the client does.
            found = await asyncio.to_thread(eventually, partial(self.ended, 3 if wrapped else 2))
            self.assertEqual(len(self.intake.of("before")), 3)
            self.assertEqual([event.get("status") for event in found].count(429), 1, found)
            self.assertIn([event.get("aborted") for event in found].count(True), (2,) if wrapped else (1, 2))

    async def test_a_request_of_the_hosts_own_between_two_pieces_of_a_stream_is_another_call(self) -> None:
        model, other = self.openai(), self.openai(wrapped=True)
        for index, _ in enumerate(model.stream("hi", self.config)):
            if index == 0:
                other.root_client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "hi"}])
        found = self.outcomes(2)
        self.assertEqual(sorted(event["event_type"] for event in found), ["langchain.chat.after", "openai.chat.after"])

    async def test_an_answer_of_its_cache_costs_nothing(self) -> None:
        model = self.openai(cache=InMemoryCache())
        for _ in range(2):
            model.invoke("hi", self.config)
        first, second = self.outcomes(2)
        self.assertNotIn("gateway_cache", first)
        self.assertTrue(second["gateway_cache"])

    async def test_attribute_holds_too(self) -> None:
        with farthing.attribute(customer="globex", user="ann"):
            await self.openai().ainvoke("hi", {"callbacks": [Handler(self.farthing)]})
        self.assertEqual(self.outcomes(1)[0]["tags"], {"customer": "globex", "user": "ann"})


if __name__ == "__main__":
    unittest.main()
