"""Logfire with Pydantic AI, and its instrumentations of the clients below."""

import asyncio
import os

import logfire
from pydantic_ai import Agent

import calls
import reporting

os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf"
logfire.configure(send_to_logfire=False, console=False)
logfire.instrument_pydantic_ai()
logfire.instrument_openai()
logfire.instrument_anthropic()


async def run() -> None:
    for model in ("openai-chat:gpt-4o", "openai-responses:gpt-4o", f"anthropic:{calls.claude}"):
        agent = Agent(model, name="helper")
        agent.tool_plain(calls.look)
        await agent.run(calls.secret)
        await agent.run(f"RETRY {calls.secret}")
        async with agent.run_stream(calls.secret) as answer:
            async for _text in answer.stream_text():
                pass
        await asyncio.gather(*[agent.run(calls.secret) for _ in range(2)])
        try:
            await agent.run(f"FAIL {calls.secret}")
        except Exception as error:
            calls.expect_refusal(error)


with reporting.attributed():
    asyncio.run(run())
reporting.finish()
