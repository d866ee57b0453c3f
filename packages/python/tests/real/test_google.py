"""The package against the real `google-genai`, of whatever version is installed."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import unittest
from contextlib import suppress
from typing import Any, List

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

from google import genai
from google.auth.credentials import AnonymousCredentials
from google.genai import errors, types
from same import differences
from support import Asking, answers

import farthing

asked: Any = {"model": "gemini-2.5-flash", "contents": "hi"}


def weather(city: str) -> str:
    """The weather in a city."""
    return "fine"


def chat(client: Any) -> Any:
    session = client.chats.create(model="gemini-2.5-flash")
    return [session.send_message("hi").text]


uses = {
    "generate_content": lambda client: client.models.generate_content(**asked),
    "stream": lambda client: list(client.models.generate_content_stream(**asked)),
    "chat": chat,
    "embed_content": lambda client: client.models.embed_content(model="gemini-embedding-001", contents="hi"),
    "functions": lambda client: client.models.generate_content(
        **asked, config=types.GenerateContentConfig(tools=[weather])
    ),
    "tokens": lambda client: client.models.count_tokens(**asked),
    "not reported": lambda client: client.caches.create(model="gemini-2.5-flash"),
}


async def agenerate(client: Any) -> Any:
    return await client.aio.models.generate_content(**asked)


async def astream(client: Any) -> Any:
    return [chunk async for chunk in await client.aio.models.generate_content_stream(**asked)]


async def aembed(client: Any) -> Any:
    return await client.aio.models.embed_content(model="gemini-embedding-001", contents="hi")


async def afunctions(client: Any) -> Any:
    config = types.GenerateContentConfig(tools=[weather])
    return await client.aio.models.generate_content(**asked, config=config)


async_uses = {use.__name__: use for use in (agenerate, astream, aembed, afunctions)}


class WithGoogle(Asking, unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.kept: List[Any] = []
        super().setUp()

    def client(self, manner: str = "ok", **options: Any) -> Any:
        http: Any = {"base_url": self.provider.at("google", manner), **options}
        client = genai.Client(api_key="k", http_options=http)
        # A client that is forgotten closes itself, also under its own parts.
        self.kept.append(client)
        return client

    async def test_the_host_gets_what_it_gets_without(self) -> None:
        manners = ["ok", "limited", "cut", "failing"]
        found = await differences(uses, manners, self.client, self.farthing.wrap)
        found += await differences(async_uses, manners, self.client, self.farthing.wrap)
        self.assertEqual(found, [])
        self.assertEqual(self.told.codes, ["not_reported"])

    async def test_each_request_is_reported_once_with_its_usage(self) -> None:
        for name, use in {**uses, **async_uses}.items():
            if name in ("tokens", "not reported"):
                continue
            client = self.farthing.wrap(self.farthing.wrap(self.client()))
            self.intake.events.clear()
            await use(client) if name in async_uses else use(client)
            self.farthing.flush()
            # The client calls the function and asks again.
            for after in self.outcomes(2 if "functions" in name else 1):
                self.assertNotIn("aborted", after, name)
                self.assertEqual(after["provider"], "google")
                if "embed" in name:
                    self.assertEqual(after["response"]["usageMetadata"], {"promptTokenCount": 3})
                else:
                    self.assertEqual(after["response"]["usageMetadata"], answers.gemini_usage, name)
                    self.assertEqual(after["event_type"], "google.generate_content.after")
        self.assertNotIn("secret", str(self.intake.events))
        self.assertEqual(self.told, [])

    def test_vertex(self) -> None:
        http: Any = {"base_url": self.provider.at("google")}
        client = genai.Client(
            vertexai=True, project="p", location="global", credentials=_Credentials(), http_options=http
        )
        self.farthing.wrap(client)
        client.models.generate_content(**asked)
        client.models.embed_content(model="text-embedding-005", contents=["hi", "ho"])
        client.models.generate_images(model="imagen-4.0-generate-001", prompt="hi")
        generated, embedded, made = self.outcomes(3)
        self.assertEqual((made["event_type"], made["images"]), ("google.images.after", 2))
        self.assertEqual((generated["provider"], generated["model"]), ("google-vertex", "gemini-2.5-flash"))
        self.assertEqual(embedded["event_type"], "google.embed_content.after")
        self.assertEqual(embedded["response"]["usageMetadata"], {"promptTokenCount": 6})

    def test_a_request_that_is_repeated_is_one_call(self) -> None:
        self.provider.bodies.clear()
        retry = types.HttpRetryOptions(attempts=3, initial_delay=0.01, jitter=0)
        with farthing.attribute(customer="acme"):
            self.farthing.wrap(self.client("busy", retry_options=retry)).models.generate_content(**asked)
        self.assertEqual(len(self.provider.bodies), 2)
        self.assertEqual(self.outcomes(1)[0]["tags"], {"customer": "acme"})

    async def test_errors_are_reported_and_raised(self) -> None:
        with self.assertRaises(errors.ClientError):
            self.farthing.wrap(self.client("limited")).models.generate_content(**asked)
        # Versions before 2 give the host an empty chunk in place of this failure.
        with suppress(errors.ServerError):
            uses["stream"](self.farthing.wrap(self.client("failing")))
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(agenerate(self.farthing.wrap(self.client("slow"))), 0.1)
        limited, failing, cancelled = self.outcomes(3)
        self.assertEqual((limited["error_type"], limited["status"]), ("ClientError", 429))
        self.assertIn(failing["error_type"], ("ServerError", "UNAVAILABLE"))
        self.assertEqual(failing["status"], 503)
        self.assertTrue(cancelled["aborted"])

    async def test_a_stream_that_is_left_is_aborted(self) -> None:
        client = self.farthing.wrap(self.client("endless"))
        stream = client.models.generate_content_stream(**asked)
        next(stream)
        stream.close()
        for _ in client.models.generate_content_stream(**asked):
            break
        # One that is not read asks nothing.
        await client.aio.models.generate_content_stream(**asked)
        left = await client.aio.models.generate_content_stream(**asked)
        await left.__anext__()
        await left.aclose()
        del left
        gc.collect()
        # An asynchronous generator that goes is closed by the loop.
        found = await asyncio.to_thread(self.outcomes, 3)
        self.assertEqual([event.get("aborted") for event in found], [True] * 3)
        self.assertEqual(found[0]["response"]["usageMetadata"], {"promptTokenCount": 900})

    async def test_a_client_whose_parts_alone_are_kept(self) -> None:
        kept = self.client().aio
        await self.farthing.wrap(kept).models.generate_content(**asked)
        self.outcomes(1)


class _Credentials(AnonymousCredentials):  # type: ignore[misc]
    quota_project_id = None

    def refresh(self, request: Any) -> None:
        self.token = "t"


if __name__ == "__main__":
    unittest.main()
