"""The real packages of mistralai and cohere: what the host gets, and what is reported of it."""

from __future__ import annotations

import asyncio
import os
import sys
import unittest
from typing import Any, List

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

import cohere

try:
    from mistralai.client import Mistral
except ImportError:
    from mistralai import Mistral  # type: ignore[attr-defined, no-redef]

from same import differences
from support import Asking, answers, eventually

import farthing

messages: Any = [{"role": "user", "content": "hi"}]
asked: Any = {"model": "mistral-small-latest", "messages": messages}
command: Any = {"model": "command-a-03-2025", "messages": messages}


class Entries(Asking, unittest.IsolatedAsyncioTestCase):
    """What the tests of both packages share."""

    async def cancelled(self, request: Any) -> None:
        """Cancels a request once the provider has it."""
        known = len(self.provider.bodies)
        task = asyncio.ensure_future(request)
        await asyncio.to_thread(eventually, lambda: len(self.provider.bodies) > known)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task

    async def reported(self, uses: Any, make: Any) -> List[Any]:
        """The last event of each of the uses, each of which is one call."""
        found = []
        for name, use in uses.items():
            client = self.farthing.wrap(self.farthing.wrap(make("ok")))
            self.intake.events.clear()
            with farthing.attribute(customer="acme"):
                await use(client) if asyncio.iscoroutinefunction(use) else use(client)
            (after,) = self.outcomes(1)
            self.assertNotIn("aborted", after, name)
            self.assertEqual(after["tags"], {"customer": "acme"})
            found.append(after)
        self.assertNotIn("secret", str(self.intake.events))
        self.assertEqual(self.told, [])
        return found


async def of(stream: Any) -> List[Any]:
    return [event async for event in stream]


async def mistral_acomplete(client: Any) -> Any:
    return await client.chat.complete_async(**asked)


async def mistral_astream(client: Any) -> Any:
    return await of(await client.chat.stream_async(**asked))


mistral_uses = {
    "complete": lambda client: client.chat.complete(**asked),
    "stream": lambda client: list(client.chat.stream(**asked)),
    "fim": lambda client: client.fim.complete(model="codestral-latest", prompt="def f("),
    "acomplete": mistral_acomplete,
    "astream": mistral_astream,
    "embeddings": lambda client: client.embeddings.create(model="mistral-embed", inputs=["hi"]),
    "ocr": lambda client: client.ocr.process(
        model="mistral-ocr-latest", document={"type": "document_url", "document_url": "https://example.com/a.pdf"}
    ),
    "conversations": lambda client: client.beta.conversations.start(model="mistral-medium-latest", inputs="hi"),
}


class WithMistral(Entries):
    def client(self, manner: str = "ok", **options: Any) -> Any:
        return Mistral(api_key="k", server_url=self.provider.at("mistral", manner), **options)

    async def test_the_host_gets_what_it_gets_without(self) -> None:
        self.assertEqual(await differences(mistral_uses, ["ok", "limited", "cut"], self.client, self.farthing.wrap), [])

    async def test_each_request_is_reported_once_with_its_usage(self) -> None:
        found = await self.reported(mistral_uses, self.client)
        self.assertEqual({event["provider"] for event in found}, {"mistral"})
        streams = [event for event in found if event["response"].get("usage") == answers.mistral_usage]
        self.assertEqual(len(streams), 2)
        by_type = {event["event_type"]: event for event in found}
        self.assertEqual(by_type["mistral.ocr.after"]["response"]["usage_info"]["pages_processed"], 1)
        self.assertEqual(by_type["mistral.conversations.after"]["model"], "mistral-medium-2508")
        self.assertEqual(by_type["mistral.embeddings.after"]["response"]["usage"]["prompt_tokens"], 37)
        self.assertEqual(by_type["mistral.fim.after"]["response"]["usage"], answers.chat_usage)

    async def test_what_fails_or_is_left_is_reported(self) -> None:
        with self.assertRaises(Exception):
            mistral_uses["complete"](self.farthing.wrap(self.client("limited")))
        await self.cancelled(mistral_acomplete(self.farthing.wrap(self.client("slow"))))
        with self.farthing.wrap(self.client("endless")).chat.stream(**asked) as stream:
            next(iter(stream))
        after, limited, cancelled = await asyncio.to_thread(self.outcomes, 3)
        self.assertEqual((limited["status"], limited["error_message"]), (429, "Slow down."))
        self.assertTrue(cancelled["aborted"])
        self.assertTrue(after["aborted"])

    def test_a_part_of_a_client_and_a_host_s_own_http_client(self) -> None:
        client = self.client()
        http = client.sdk_configuration.client
        shared = Mistral(api_key="k", server_url=self.provider.at("other"), client=http)
        self.farthing.wrap(client.chat)
        mistral_uses["complete"](client)
        mistral_uses["complete"](shared)
        http.get(self.provider.at("mistral") + "/v1/models")
        self.outcomes(1)


async def cohere_achat(client: Any) -> Any:
    return await client.chat(**command)


async def cohere_astream(client: Any) -> Any:
    return await of(client.chat_stream(**command))


cohere_uses = {
    "chat": lambda client: client.chat(**command),
    "stream": lambda client: list(client.chat_stream(**command)),
    "embed": lambda client: client.embed(
        model="embed-v4.0", texts=["hi"], input_type="search_query", embedding_types=["float"]
    ),
    "rerank": lambda client: client.rerank(model="rerank-v3.5", query="hi", documents=["a"]),
}
cohere_first_uses = {
    "chat": lambda client: client.chat(model="command-r", message="hi"),
    "stream": lambda client: list(client.chat_stream(model="command-r", message="hi")),
}
cohere_async_uses = {"achat": cohere_achat, "astream": cohere_astream}


class WithCohere(Entries):
    def made(self, kind: Any) -> Any:
        return lambda manner="ok": kind(api_key="k", base_url=self.provider.at("cohere", manner))

    async def test_the_host_gets_what_it_gets_without(self) -> None:
        for kind, uses in (
            (cohere.ClientV2, cohere_uses),
            (cohere.Client, cohere_first_uses),
            (cohere.AsyncClientV2, cohere_async_uses),
        ):
            manners = ["ok", "cut", "plain"]
            self.assertEqual(await differences(uses, manners, self.made(kind), self.farthing.wrap), [])

    async def test_each_request_is_reported_once_with_its_usage(self) -> None:
        found = await self.reported(cohere_uses, self.made(cohere.ClientV2))
        chat, stream, embed, rerank = (event["response"] for event in found)
        self.assertEqual((chat["usage"], stream["usage"]), (answers.cohere_usage,) * 2)
        self.assertEqual(embed["meta"]["billed_units"], {"input_tokens": 2})
        self.assertEqual(rerank["meta"]["billed_units"], {"search_units": 1})
        self.assertEqual(
            [(event["event_type"], event["model"], event["provider"]) for event in found],
            [
                ("cohere.chat.after", "command-a-03-2025", "cohere"),
                ("cohere.chat.after", "command-a-03-2025", "cohere"),
                ("cohere.embed.after", "embed-v4.0", "cohere"),
                ("cohere.rerank.after", "rerank-v3.5", "cohere"),
            ],
        )
        for event in await self.reported(cohere_first_uses, self.made(cohere.Client)):
            self.assertEqual(event["response"]["meta"]["billed_units"], answers.cohere_usage["billed_units"])
        for event in await self.reported(cohere_async_uses, self.made(cohere.AsyncClientV2)):
            self.assertEqual(event["response"]["usage"], answers.cohere_usage)

    async def test_what_is_repeated_or_left_is_one_call(self) -> None:
        self.provider.bodies.clear()
        self.farthing.wrap(self.made(cohere.ClientV2)("busy")).chat(**command)
        self.assertEqual(len(self.provider.bodies), 2)
        stream = self.farthing.wrap(self.made(cohere.ClientV2)("endless")).chat_stream(**command)
        next(iter(stream))
        stream.close()
        client = self.farthing.wrap(self.made(cohere.AsyncClientV2)("slow"))
        await self.cancelled(client.chat(**command))
        whole, left, cancelled = await asyncio.to_thread(self.outcomes, 3)
        self.assertNotIn("aborted", whole)
        self.assertTrue(left["aborted"] and cancelled["aborted"])

    def test_those_that_sign_for_a_cloud_are_told(self) -> None:
        try:
            client = cohere.BedrockClientV2(
                aws_region="us-east-1", aws_access_key="a", aws_secret_key="b", aws_session_token="c"
            )
        except Exception:
            # They need boto3 and the network, which not every version tells apart.
            return
        self.farthing.wrap(client)
        self.assertEqual(self.told.codes, ["unknown_client"])


if __name__ == "__main__":
    unittest.main()
