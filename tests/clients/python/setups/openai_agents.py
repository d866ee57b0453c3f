"""OpenAI's Agents by OpenInference's instrumentation."""

import asyncio

import calls
import reporting
from agents import Agent, Runner, function_tool, set_default_openai_api
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

OpenAIAgentsInstrumentor().instrument(tracer_provider=reporting.opentelemetry())


async def run(agent: Agent) -> None:
    await Runner.run(agent, calls.secret)
    async for _event in Runner.run_streamed(agent, calls.secret).stream_events():
        pass


with reporting.attributed():
    for api in ("responses", "chat_completions"):
        set_default_openai_api(api)
        asyncio.run(
            run(Agent(name="helper", model="gpt-4o", instructions=calls.secret, tools=[function_tool(calls.look)]))
        )
reporting.finish()
