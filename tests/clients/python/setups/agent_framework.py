"""Microsoft's Agent Framework with its own spans."""

import asyncio

from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

import calls
import reporting

reporting.opentelemetry()
enable_instrumentation()


async def run() -> None:
    for client in (OpenAIChatClient(model="gpt-4o"), OpenAIChatCompletionClient(model="gpt-4o")):
        agent = Agent(client=client, name="helper", tools=[calls.look])
        await agent.run(calls.secret)
        await agent.run(f"RETRY {calls.secret}")
        async for _part in agent.run(calls.secret, stream=True):
            pass
        try:
            await agent.run(f"FAIL {calls.secret}")
        except Exception as error:
            calls.expect_refusal(error)
        await asyncio.gather(*[agent.run(calls.secret) for _ in range(2)])


with reporting.attributed():
    asyncio.run(run())
reporting.finish()
