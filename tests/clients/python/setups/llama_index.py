"""LlamaIndex by OpenInference's instrumentation."""

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.llms.anthropic import Anthropic
from llama_index.llms.openai import OpenAI, OpenAIResponses
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

import calls
import reporting

LlamaIndexInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
message = [ChatMessage(role="user", content=calls.secret)]
failing = [ChatMessage(role="user", content=f"FAIL {calls.secret}")]
told = {"stream_options": {"include_usage": True}}
chat = OpenAI(model="gpt-4o", max_retries=1)
repeated = [ChatMessage(role="user", content=f"RETRY {calls.secret}")]


async def run() -> None:
    await FunctionAgent(tools=[calls.look], llm=chat, streaming=False).run(calls.secret)
    await asyncio.gather(*[chat.achat(message) for _ in range(2)])


with reporting.openinference():
    for model in (chat, OpenAIResponses(model="gpt-4o", max_retries=1), Anthropic(model=calls.claude, max_retries=1)):
        model.chat(message)
        model.chat(repeated)
        calls.refused(lambda model=model: model.chat(failing))
    calls.read(OpenAI(model="gpt-4o", additional_kwargs=told).stream_chat(message))
    calls.read(Anthropic(model=calls.claude).stream_chat(message))
    asyncio.run(run())
reporting.finish()
