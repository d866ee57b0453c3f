"""LlamaIndex by OpenInference's instrumentation."""

import asyncio

import calls
import reporting
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.llms.anthropic import Anthropic
from llama_index.llms.openai import OpenAI
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

LlamaIndexInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
message = [ChatMessage(role="user", content=calls.secret)]


async def run() -> None:
    await FunctionAgent(tools=[calls.look], llm=OpenAI(model="gpt-4o"), streaming=False).run(calls.secret)


with reporting.openinference():
    for model in (OpenAI(model="gpt-4o"), Anthropic(model=calls.claude)):
        model.chat(message)
    asyncio.run(run())
reporting.finish()
