"""Clients of google-genai, with the stand-in for it; `tests/real` has more with the real package."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import unittest
import unittest.mock
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standins"))

from google.genai import APIError, Client
from support import Asking, answers

import farthing

asked = ("post", "models/gemini-2.5-flash:generateContent", {})
streamed = ("post", "models/gemini-2.5-flash:streamGenerateContent?alt=sse", {})


class Google(Asking):
    def client(self, manner: str = "ok", vertexai: bool = False) -> Any:
        return self.farthing.wrap(Client(self.provider.at("google", manner), vertexai))._api_client

    def test_each_way_to_ask_is_one_call_with_the_providers_usage(self) -> None:
        client = self.farthing.wrap(self.farthing.wrap(Client(self.provider.at("google"))))
        api = client._api_client
        # It asks when its first part is read, for whom that is read.
        lazy = api.request_streamed(*streamed)

        async def ask() -> None:
            await api.async_request(*asked)
            self.assertEqual(len([part async for part in await api.async_request_streamed(*streamed)]), 3)

        with farthing.attribute(customer="acme"):
            api.request(http_method="post", path=asked[1], request_dict={})
            self.assertEqual(len(list(lazy)), 3)
            asyncio.run(ask())
        api.request_streamed(*streamed)
        after = self.outcomes(4)
        self.assertEqual(
            [(event["event_type"], event["model"], event["provider"], event["tags"]) for event in after],
            [("google.generate_content.after", "gemini-2.5-flash", "google", {"customer": "acme"})] * 4,
        )
        self.assertEqual([event["response"]["usageMetadata"] for event in after], [answers.gemini_usage] * 4)
        self.assertEqual([event for event in after if "aborted" in event], [])
        self.assertNotIn("secret", str(self.intake.events))

    def test_embeddings_and_images_of_vertex(self) -> None:
        api = self.client(vertexai=True)
        api.request("post", "publishers/google/models/text-embedding-005:predict", {})
        api.request("post", "publishers/google/models/imagen-4.0-generate-001:predict", {})
        embedded, made = self.outcomes(2)
        self.assertEqual(
            (embedded["event_type"], embedded["provider"]), ("google.embed_content.after", "google-vertex")
        )
        self.assertEqual(embedded["response"]["usageMetadata"], {"promptTokenCount": 6})
        self.assertEqual((made["event_type"], made["images"]), ("google.images.after", 2))

    def test_what_costs_nothing_is_not_a_call_and_what_is_not_reported_is_told(self) -> None:
        api = self.client()
        for method, path in (("post", "models/g:countTokens"), ("get", "models/g"), ("post", "cachedContents")):
            with self.assertRaises(APIError):
                api.request(method, path, {})
        self.farthing.flush()
        self.assertEqual(self.intake.events, [])
        self.assertEqual([problem.message for problem in self.told], ["requests of cachedContents are not reported"])

    def test_refusals(self) -> None:
        async def ask(api: Any) -> None:
            for request in (api.async_request, api.async_request_streamed):
                with self.assertRaises(APIError):
                    await request(*asked)

        api = self.client("limited")
        with self.assertRaises(APIError):
            api.request(*asked)
        with self.assertRaises(APIError):
            next(api.request_streamed(*streamed))
        asyncio.run(ask(api))
        self.assertEqual({(event["error_type"], event["status"]) for event in self.outcomes(4)}, {("APIError", 429)})

    def test_a_fault_of_the_package_never_reaches_the_host(self) -> None:
        import farthing._google as google
        from farthing._call import Call
        from farthing._reading import Reading

        def broken(*_args: object, **_kwargs: object) -> Any:
            raise RuntimeError("broken")

        async def ask(api: Any) -> Any:
            parts = [part async for part in await api.async_request_streamed(*streamed)]
            return [await api.async_request(*asked), *parts]

        def see(api: Any) -> Any:
            return [api.request(*asked), list(api.request_streamed(*streamed)), asyncio.run(ask(api))]

        expected = see(Client(self.provider.at("google"))._api_client)
        places = [
            (google, "is_client"),
            (google, "watch"),
            (google, "_begin"),
            (google, "_take"),
            (Call, "end"),
            (Call, "fail"),
            (Call, "_send"),
            (Reading, "take"),
        ]
        for owner, name in places:
            with self.subTest(name), unittest.mock.patch.object(owner, name, broken):
                self.assertEqual(see(self.client()), expected)
                with self.assertRaises(APIError):
                    self.client("limited").request(*asked)

    def test_a_stream_that_is_left_is_aborted_with_what_has_come(self) -> None:
        api = self.client()

        async def leave() -> None:
            parts = await api.async_request_streamed(*streamed)
            await parts.__anext__()
            await parts.aclose()
            await api.async_request_streamed(*streamed)

        for _ in api.request_streamed(*streamed):
            break
        asyncio.run(leave())
        gc.collect()
        left = self.outcomes(3)
        self.assertEqual([event["aborted"] for event in left], [True] * 3)
        self.assertEqual(left[0]["response"]["usageMetadata"], {"promptTokenCount": 900})


if __name__ == "__main__":
    unittest.main()
