"""What an application does with each client: plain, streamed and left, repeated, with tools, refused, two at once. All
prompts hold the secret."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Callable

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
    """Reads the beginning of a stream."""
    with stream:
        for _part, _other in zip(stream, range(3)):
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


def openai_responses(kind: Any = None, wrap: Callable[[Any], Any] = same) -> None:
    from openai import OpenAI

    client = wrap((kind or OpenAI)(max_retries=0))
    client.responses.create(model="gpt-4o", input=secret)
    read(client.responses.create(model="gpt-4o", input=secret, stream=True))


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

    client = wrap(genai.Client(api_key="x", http_options=types.HttpOptions(base_url=url)))
    client.models.generate_content(model="gemini-2.5-flash", contents=secret)
    read(client.models.generate_content_stream(model="gemini-2.5-flash", contents=secret))


def bedrock() -> None:
    import json

    import boto3

    client = boto3.client("bedrock-runtime", endpoint_url=url)
    asked: Any = {"modelId": claude_of_bedrock, "messages": [{"role": "user", "content": [{"text": secret}]}]}
    client.converse(**asked)
    read(client.converse_stream(**asked)["stream"])
    body = json.dumps({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 100, "messages": message})
    client.invoke_model(modelId=claude_of_bedrock, body=body)["body"].read()


def langchain(config: Any, providers: Any = ("openai", "responses", "anthropic")) -> None:
    """A model alone, streamed and refused; and LangGraph's agent, which calls a tool."""
    from langchain.agents import create_agent
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI

    models = {
        "openai": lambda: ChatOpenAI(model="gpt-4o", stream_usage=True, max_retries=0),
        "responses": lambda: ChatOpenAI(model="gpt-4o", use_responses_api=True, max_retries=0),
        "anthropic": lambda: ChatAnthropic(model=claude, max_retries=0),
    }
    for provider in providers:
        model = models[provider]()
        model.invoke(secret, config)
        read(model.stream(secret, config))
        refused(lambda one=model: one.invoke(f"FAIL {secret}", config))
        create_agent(model, tools=[look]).invoke({"messages": message}, config)
