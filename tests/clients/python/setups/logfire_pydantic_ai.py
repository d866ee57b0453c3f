"""Logfire with Pydantic AI, and its instrumentations of the clients below."""

import asyncio
import os

import calls
import reporting

import logfire
from pydantic_ai import Agent

os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf"
logfire.configure(send_to_logfire=False, console=False)
logfire.instrument_pydantic_ai()
logfire.instrument_openai()
logfire.instrument_anthropic()


async def stream(agent: Agent) -> None:
    async with agent.run_stream(calls.secret) as answer:
        async for _text in answer.stream_text():
            pass


with reporting.attributed():
    for model in ("openai-chat:gpt-4o", "openai-responses:gpt-4o", f"anthropic:{calls.claude}"):
        agent = Agent(model, name="helper")
        agent.tool_plain(calls.look)
        agent.run_sync(calls.secret)
        asyncio.run(stream(agent))
        calls.refused(lambda one=agent: one.run_sync(f"FAIL {calls.secret}"))
reporting.finish()
