"""LiteLLM's library with its generic callback, which sees asynchronous calls alone."""

import asyncio

import calls
import reporting

import litellm

litellm.suppress_debug_info = True
litellm.callbacks = ["generic_api"]
asked = {"messages": calls.message, "user": reporting.customer, "num_retries": 0}


async def all_calls() -> None:
    await litellm.acompletion(model="openai/gpt-4o", **asked)
    async for _part in await litellm.acompletion(
        model="openai/gpt-4o", stream=True, stream_options={"include_usage": True}, **asked
    ):
        pass
    await litellm.acompletion(model=f"anthropic/{calls.claude}", api_base=reporting.url, **asked)
    await litellm.aembedding(model="openai/text-embedding-3-small", input=[calls.secret], user=reporting.customer)
    await asyncio.gather(*[litellm.acompletion(model="openai/gpt-4o", **asked) for _ in range(2)])
    await asyncio.sleep(2)
    for logger in litellm.logging_callback_manager.get_custom_loggers_for_type(
        litellm.integrations.custom_logger.CustomLogger
    ):
        if hasattr(logger, "async_send_batch"):
            await logger.async_send_batch()


asyncio.run(all_calls())
