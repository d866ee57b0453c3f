"""What an application does with OpenAI's Agents."""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool

import calls


def run() -> None:
    asyncio.run(all_of_them())


async def all_of_them() -> None:
    agent = Agent(name="helper", model="gpt-4o", instructions=calls.secret, tools=[function_tool(calls.look)])
    await Runner.run(agent, calls.secret)
    await Runner.run(agent, f"RETRY {calls.secret}")
    async for _event in Runner.run_streamed(agent, calls.secret).stream_events():
        pass
    try:
        await Runner.run(agent, f"FAIL {calls.secret}")
    except Exception as error:
        calls.expect_refusal(error)
    await asyncio.gather(*[Runner.run(agent, calls.secret) for _ in range(2)])
