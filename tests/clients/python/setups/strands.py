"""Strands' agents with their own spans."""

import asyncio
from typing import Any

from strands import Agent, tool
from strands.models.anthropic import AnthropicModel
from strands.models.openai import OpenAIModel

import calls
import reporting

reporting.opentelemetry()


# Each call has an event loop of its own, and so needs a client of its own.
def agent(model: Any) -> Agent:
    return Agent(model=model(), tools=[tool(calls.look)], callback_handler=None)


async def two(model: Any) -> None:
    await asyncio.gather(*[agent(model).invoke_async(calls.secret) for _ in range(2)])


with reporting.attributed():
    for model in (
        lambda: OpenAIModel(model_id="gpt-4o"),
        lambda: AnthropicModel(model_id=calls.claude, max_tokens=500),
    ):
        agent(model)(calls.secret)
        agent(model)(f"RETRY {calls.secret}")
        calls.refused(lambda model=model: agent(model)(f"FAIL {calls.secret}"))
        asyncio.run(two(model))
reporting.finish()
