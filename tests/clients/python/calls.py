"""What an application does with each client: plain, streamed and left, repeated, with tools, refused, two at once. All
prompts hold the secret."""

from __future__ import annotations

import asyncio
import contextvars
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, Callable, List

from provider import secret

url = os.environ["PROVIDER"]
claude = "claude-sonnet-4-5-20250929"
claude_of_bedrock = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
message = [{"role": "user", "content": secret}]
failing = [{"role": "user", "content": f"FAIL {secret}"}]
repeated = [{"role": "user", "content": f"RETRY {secret}"}]
long = [{"role": "user", "content": f"LEAVE {secret}"}]


def look(query: str) -> str:
    """Looks something up."""
    return secret


def same(client: Any) -> Any:
    return client


def refused(call: Callable[[], Any]) -> None:
    try:
        call()
    except Exception as error:
        expect_refusal(error)
    else:
        raise AssertionError("it was not refused")


def expect_refusal(error: Exception) -> None:
    assert "bad" in str(error) or "400" in str(error), error


def read(stream: Any) -> None:
    for _part in stream:
        pass


def leave(stream: Any) -> None:
    """Reads the beginning of a stream, and closes it."""
    with stream as parts:
        for _part, _other in zip(parts, range(3)):
            pass


def openai(kind: Any = None, async_kind: Any = None, wrap: Callable[[Any], Any] = same) -> None:
    """Chat completions of OpenAI."""
    from openai import AsyncOpenAI, OpenAI

    client, later = wrap((kind or OpenAI)(max_retries=1)), wrap((async_kind or AsyncOpenAI)(max_retries=0))
    ask = client.chat.completions.create
    ask(model="gpt-4o", messages=message)
    read(ask(model="gpt-4o", messages=message, stream=True, stream_options={"include_usage": True}))
    refused(lambda: ask(model="gpt-4o", messages=failing))
    leave(ask(model="gpt-4o", messages=long, stream=True, stream_options={"include_usage": True}))
    ask(model="gpt-4o", messages=repeated)

    async def two() -> None:
        await asyncio.gather(*[later.chat.completions.create(model="gpt-4o", messages=message) for _ in range(2)])

    asyncio.run(two())


def openai_responses(kind: Any = None, async_kind: Any = None, wrap: Callable[[Any], Any] = same) -> None:
    from openai import AsyncOpenAI, OpenAI

    client, later = wrap((kind or OpenAI)(max_retries=1)), wrap((async_kind or AsyncOpenAI)(max_retries=0))
    ask = client.responses.create
    ask(model="gpt-4o", input=secret)
    read(ask(model="gpt-4o", input=secret, stream=True))
    refused(lambda: ask(model="gpt-4o", input=f"FAIL {secret}"))
    leave(ask(model="gpt-4o", input=f"LEAVE {secret}", stream=True))
    ask(model="gpt-4o", input=f"RETRY {secret}")

    async def two() -> None:
        await asyncio.gather(*[later.responses.create(model="gpt-4o", input=secret) for _ in range(2)])

    asyncio.run(two())


def openai_embeddings(kind: Any = None, wrap: Callable[[Any], Any] = same) -> None:
    from openai import OpenAI

    wrap((kind or OpenAI)(max_retries=0)).embeddings.create(model="text-embedding-3-small", input=[secret, "b"])


def anthropic(wrap: Callable[[Any], Any] = same, helper: bool = True, hour: bool = True, raw: bool = True) -> None:
    """Messages of Anthropic."""
    from anthropic import Anthropic, AsyncAnthropic

    client, later = wrap(Anthropic(max_retries=1)), wrap(AsyncAnthropic(max_retries=0))
    asked: Any = {"model": claude, "max_tokens": 500, "messages": message, **({"system": "ONEHOUR"} if hour else {})}
    client.messages.create(**asked)
    if raw:
        read(client.messages.create(**asked, stream=True))
        leave(client.messages.create(**{**asked, "messages": long}, stream=True))
    if helper:
        with client.messages.stream(**asked) as stream:
            stream.get_final_message()
    refused(lambda: client.messages.create(**{**asked, "messages": failing}))
    client.messages.create(**{**asked, "messages": repeated})

    async def two() -> None:
        await asyncio.gather(*[later.messages.create(**asked) for _ in range(2)])

    asyncio.run(two())


def gemini(wrap: Callable[[Any], Any] = same) -> None:
    from google import genai
    from google.genai import types

    again = types.HttpRetryOptions(attempts=2, initial_delay=0.01)
    client = wrap(genai.Client(api_key="x", http_options=types.HttpOptions(base_url=url, retry_options=again)))
    ask, stream = client.models.generate_content, client.models.generate_content_stream
    ask(model="gemini-2.5-flash", contents=secret)
    read(stream(model="gemini-2.5-flash", contents=secret))
    refused(lambda: ask(model="gemini-2.5-flash", contents=f"FAIL {secret}"))
    leave(closing(stream(model="gemini-2.5-flash", contents=f"LEAVE {secret}")))
    ask(model="gemini-2.5-flash", contents=f"RETRY {secret}")

    async def two() -> None:
        later = client.aio.models.generate_content
        await asyncio.gather(*[later(model="gemini-2.5-flash", contents=secret) for _ in range(2)])

    asyncio.run(two())


def bedrock() -> None:
    import json

    import boto3

    client = boto3.client("bedrock-runtime", endpoint_url=url)

    def asking(prompt: str) -> Any:
        return {"modelId": claude_of_bedrock, "messages": [{"role": "user", "content": [{"text": prompt}]}]}

    client.converse(**asking(secret))
    read(client.converse_stream(**asking(secret))["stream"])
    refused(lambda: client.converse(**asking(f"FAIL {secret}")))
    leave(closing(client.converse_stream(**asking(f"LEAVE {secret}"))["stream"]))
    client.converse(**asking(f"RETRY {secret}"))
    with ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            pool.submit(contextvars.copy_context().run, lambda: client.converse(**asking(secret)))
    body = json.dumps({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 100, "messages": message})
    client.invoke_model(modelId=claude_of_bedrock, body=body)["body"].read()


def langchain_models(providers: Any) -> List[Any]:
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI

    models = {
        "openai": lambda: ChatOpenAI(model="gpt-4o", stream_usage=True, max_retries=1),
        "responses": lambda: ChatOpenAI(model="gpt-4o", use_responses_api=True, max_retries=1),
        "anthropic": lambda: ChatAnthropic(model=claude, max_retries=1),
    }
    return [models[provider]() for provider in providers]


def langchain(config: Any, providers: Any = ("openai", "responses", "anthropic"), leaves: bool = True) -> None:
    """A model alone, in all ways; and LangGraph's agent, which calls a tool."""
    from langchain.agents import create_agent

    made = langchain_models(providers)
    for model in made:
        model.invoke(secret, config)
        read(model.stream(secret, config))
        refused(lambda one=model: one.invoke(f"FAIL {secret}", config))
        if leaves:
            leave(closing(model.stream(f"LEAVE {secret}", config)))
        model.invoke(f"RETRY {secret}", config)
        create_agent(model, tools=[look]).invoke({"messages": message}, config)

    async def two() -> None:
        await asyncio.gather(*[model.ainvoke(secret, config) for model in made for _ in range(2)])

    asyncio.run(two())


def anthropic_beta() -> None:
    """Streams of Anthropic's messages in beta, read by pieces and at once, two at once too."""
    from anthropic import Anthropic, AsyncAnthropic

    client, later = Anthropic(max_retries=0).beta.messages, AsyncAnthropic(max_retries=0).beta.messages
    asked: Any = {"model": claude, "max_tokens": 500, "messages": message}
    for read_stream in (lambda stream: stream.get_final_message(), lambda stream: read(stream.text_stream)):
        with client.stream(**asked) as stream:
            read_stream(stream)

    async def one() -> None:
        async with later.stream(**asked) as stream:
            await stream.get_final_message()

    async def two() -> None:
        await asyncio.gather(one(), one())

    asyncio.run(two())


def langchain_streams(config: Any, providers: Any = ("responses", "anthropic"), at_once: int = 2) -> None:
    """Streams of models, and of LangGraph's agents by messages and by events, all asynchronous and several at once."""
    from langchain.agents import create_agent


    async def stream(model: Any) -> None:
        async for _part in model.astream(secret, config):
            pass

    async def ask_agent(model: Any) -> None:
        agent, asked = create_agent(model, tools=[look]), {"messages": message}
        await agent.ainvoke(asked, config)
        async for _part in agent.astream(asked, config, stream_mode="messages"):
            pass
        async for _part in agent.astream_events(asked, config, version="v2"):
            pass

    async def all_at_once() -> None:
        for made in langchain_models(providers):
            await asyncio.gather(*[stream(made) for _ in range(at_once)])
            await asyncio.gather(*[ask_agent(made) for _ in range(at_once)])

    asyncio.run(all_at_once())
