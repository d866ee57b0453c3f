"""LiteLLM's library with its generic callback, by the variables of the page; it sees asynchronous calls alone."""

import asyncio
from typing import Any

import litellm
from litellm.integrations.generic_api.generic_api_callback import GenericAPILogger
from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

import calls
import reporting

litellm.callbacks = ["generic_api"]
who = {"user_id": reporting.user, "feature": reporting.feature}
asked: Any = {"user": reporting.customer, "metadata": {"spend_logs_metadata": who}}


async def ask(model: str, **further: Any) -> Any:
    return await litellm.acompletion(**{"model": model, "messages": calls.message, **asked, **further})


async def run() -> None:
    for model in ("openai/gpt-4o", f"anthropic/{calls.claude}"):
        await ask(model)
        async for _part in await ask(model, stream=True, stream_options={"include_usage": True}):
            pass
        try:
            await ask(model, messages=calls.failing, num_retries=0)
        except Exception as error:
            calls.expect_refusal(error)
    await ask("openai/gpt-4o", messages=calls.repeated, max_retries=1)
    await litellm.aembedding(model="openai/text-embedding-3-small", input=[calls.secret], **asked)
    await litellm.aresponses(model="openai/gpt-4o", input=calls.secret, **asked)
    await asyncio.gather(*[ask("openai/gpt-4o") for _ in range(2)])
    await GLOBAL_LOGGING_WORKER.flush()
    for logger in litellm.logging_callback_manager.get_custom_loggers_for_type(GenericAPILogger):
        await logger.flush_queue()


asyncio.run(run())
