"""Agno's agents by OpenInference's instrumentation."""

import asyncio

from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.openai import OpenAIChat, OpenAIResponses
from openinference.instrumentation.agno import AgnoInstrumentor

import calls
import reporting

AgnoInstrumentor().instrument(tracer_provider=reporting.opentelemetry())


async def two(agent: Agent) -> None:
    await asyncio.gather(*[agent.arun(calls.secret) for _ in range(2)])


with reporting.openinference():
    for model in (OpenAIChat(id="gpt-4o"), OpenAIResponses(id="gpt-4o"), Claude(id=calls.claude)):
        agent = Agent(model=model, tools=[calls.look], telemetry=False)
        agent.run(calls.secret)
        agent.run(f"RETRY {calls.secret}")
        calls.read(agent.run(calls.secret, stream=True))
        # It answers with an error.
        agent.run(f"FAIL {calls.secret}")
        asyncio.run(two(agent))
reporting.finish()
