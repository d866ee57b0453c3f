"""Microsoft's Agent Framework with its own spans."""

import asyncio

import calls
import reporting
from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

reporting.opentelemetry()
enable_instrumentation(enable_sensitive_data=True)


async def run() -> None:
    for client in (OpenAIChatClient(model="gpt-4o"), OpenAIChatCompletionClient(model="gpt-4o")):
        await Agent(client=client, name="helper", tools=[calls.look]).run(calls.secret)


with reporting.attributed():
    asyncio.run(run())
reporting.finish()
