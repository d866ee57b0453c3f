"""LiteLLM's library with its OpenTelemetry callback, synchronous and asynchronous."""

import asyncio
import time
from typing import Any

import litellm

import calls
import reporting

litellm.callbacks = ["otel"]


def whose() -> Any:
    """The callback marks in a call's metadata what it has reported: calls that share it are reported once."""
    return {"metadata": {"spend_logs_metadata": dict(reporting.who)}}


def fields(model: str, **further: Any) -> Any:
    return {"model": model, "messages": calls.message, **whose(), **further}


def ask(model: str, **further: Any) -> Any:
    return litellm.completion(**fields(model, **further))


async def later() -> None:
    for model in ("openai/gpt-4o", f"anthropic/{calls.claude}"):
        await litellm.acompletion(**fields(model))
        async for _part in await litellm.acompletion(
            **fields(model, stream=True, stream_options={"include_usage": True})
        ):
            pass
        try:
            await litellm.acompletion(**fields(model, messages=calls.failing, num_retries=0))
        except Exception as error:
            calls.expect_refusal(error)
    await litellm.aembedding(model="openai/text-embedding-3-small", input=[calls.secret], **whose())
    await litellm.aresponses(model="openai/gpt-4o", input=calls.secret, **whose())
    await asyncio.gather(*[litellm.acompletion(**fields("openai/gpt-4o")) for _ in range(2)])
    await asyncio.sleep(2)


with_usage: Any = {"stream": True, "stream_options": {"include_usage": True}}
for name in ("openai/gpt-4o", f"anthropic/{calls.claude}"):
    ask(name)
    calls.read(ask(name, **with_usage))
    calls.refused(lambda name=name: ask(name, messages=calls.failing, num_retries=0))
ask("openai/gpt-4o", messages=calls.repeated, max_retries=1)
asyncio.run(later())
time.sleep(2)
reporting.finish()
