"""OpenAI's Agents, which ask for responses, by OpenInference's instrumentation."""

import asyncio

from agents import Agent, Runner, function_tool
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

import calls
import reporting

OpenAIAgentsInstrumentor().instrument(tracer_provider=reporting.opentelemetry())


async def run() -> None:
    agent = Agent(name="helper", model="gpt-4o", instructions=calls.secret, tools=[function_tool(calls.look)])
    await Runner.run(agent, calls.secret)
    async for _event in Runner.run_streamed(agent, calls.secret).stream_events():
        pass


with reporting.attributed():
    asyncio.run(run())
reporting.finish()
