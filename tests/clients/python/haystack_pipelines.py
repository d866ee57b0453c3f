"""What an application does with Haystack."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.embedders import OpenAITextEmbedder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function

import calls

told = {"stream_options": {"include_usage": True}}


def with_one(component: Any) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("one", component)
    return pipeline


def look(query: str) -> str:
    """Looks something up."""
    return calls.secret


def read_on(_part: Any) -> None:
    return None


async def two() -> None:
    pipelines = [with_one(OpenAIChatGenerator(model="gpt-4o", max_retries=0)) for _ in range(2)]
    await asyncio.gather(*[one.run_async(messages(calls.secret)) for one in pipelines])


def messages(prompt: str) -> Any:
    return {"one": {"messages": [ChatMessage.from_user(prompt)]}}


def run() -> None:
    chat = with_one(OpenAIChatGenerator(model="gpt-4o", max_retries=1))
    chat.run(messages(calls.secret))
    chat.run(messages(f"RETRY {calls.secret}"))
    calls.refused(lambda: chat.run(messages(f"FAIL {calls.secret}")))
    streamed = OpenAIChatGenerator(model="gpt-4o", streaming_callback=read_on, generation_kwargs=told)
    with_one(streamed).run(messages(calls.secret))
    agent = Agent(chat_generator=OpenAIChatGenerator(model="gpt-4o"), tools=[create_tool_from_function(look)])
    with_one(agent).run(messages(calls.secret))
    with_one(OpenAITextEmbedder(model="text-embedding-3-small")).run({"one": {"text": calls.secret}})
    asyncio.run(two())
