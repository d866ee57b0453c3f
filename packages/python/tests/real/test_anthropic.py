"""The package against the real `anthropic`, of whatever version is installed."""

from __future__ import annotations

import asyncio
import os
import sys
import unittest
from typing import Any

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

import anthropic
from anthropic import Anthropic, AnthropicBedrock, AnthropicVertex, AsyncAnthropic, AsyncAnthropicBedrock
from same import differences
from support import Asking, answers, eventually

import farthing

claude = {"model": "claude-opus-4-8", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}


def helper(client: Any) -> Any:
    with client.messages.stream(**claude) as stream:
        return [
            type(stream).__name__,
            list(stream.text_stream),
            stream.get_final_message(),
            stream.current_message_snapshot,
        ]


def beta_helper(client: Any) -> Any:
    with client.beta.messages.stream(**claude) as stream:
        return [event.type for event in stream] + [stream.get_final_message()]


def by_next(client: Any) -> Any:
    stream = client.messages.create(**claude, stream=True)
    return [isinstance(stream, anthropic.Stream), next(stream), list(stream)]


def lines_of(client: Any) -> Any:
    with client.messages.with_streaming_response.create(**claude, stream=True) as response:
        return list(response.iter_lines())


def unread(client: Any) -> Any:
    with client.messages.with_streaming_response.create(**claude) as response:
        return response.parse()


def runner(client: Any) -> Any:
    return client.beta.messages.tool_runner(**claude, tools=[]).until_done()


uses = {
    "create": lambda client: client.messages.create(**claude),
    "stream": lambda client: list(client.messages.create(**claude, stream=True)),
    "next": by_next,
    "messages.stream": helper,
    "beta": lambda client: client.beta.messages.create(**claude),
    "beta.messages.stream": beta_helper,
    "tool_runner": runner,
    "raw": lambda client: client.messages.with_raw_response.create(**claude).parse(),
    "raw stream": lambda client: list(client.messages.with_raw_response.create(**claude, stream=True).parse()),
    "lines": lines_of,
    "unread": unread,
    "copy": lambda client: client.with_options(timeout=9).copy(max_retries=0).messages.create(**claude),
}


async def acreate(client: Any) -> Any:
    return await client.messages.create(**claude)


async def astream(client: Any) -> Any:
    return [event async for event in await client.messages.create(**claude, stream=True)]


async def ahelper(client: Any) -> Any:
    async with client.messages.stream(**claude) as stream:
        return [[text async for text in stream.text_stream], await stream.get_final_message()]


async def araw(client: Any) -> Any:
    parsed = (await client.messages.with_raw_response.create(**claude)).parse()
    return await parsed if asyncio.iscoroutine(parsed) else parsed


async def arunner(client: Any) -> Any:
    return await client.beta.messages.tool_runner(**claude, tools=[]).until_done()


async_uses = {use.__name__: use for use in (acreate, astream, ahelper, araw, arunner)}


class WithAnthropic(Asking, unittest.IsolatedAsyncioTestCase):
    transport: Any

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.transport = anthropic.DefaultHttpxClient()

    async def asyncSetUp(self) -> None:
        self.async_transport = anthropic.DefaultAsyncHttpxClient()

    async def asyncTearDown(self) -> None:
        await self.async_transport.aclose()

    def client(self, manner: str = "ok") -> Anthropic:
        url = self.provider.at("anthropic", manner)
        return Anthropic(api_key="k", base_url=url, max_retries=0, http_client=self.transport)

    def async_client(self, manner: str = "ok") -> AsyncAnthropic:
        url = self.provider.at("anthropic", manner)
        return AsyncAnthropic(api_key="k", base_url=url, max_retries=0, http_client=self.async_transport)

    async def test_the_host_gets_what_it_gets_without(self) -> None:
        manners = ["ok", "limited", "cut", "failing"]
        found = await differences(uses, manners, self.client, self.farthing.wrap)
        found += await differences(async_uses, manners, self.async_client, self.farthing.wrap)
        self.assertEqual(found, [])
        self.assertEqual(self.told, [])

    async def test_each_use_reports_each_call_once_with_the_providers_own_usage(self) -> None:
        for name, use in {**uses, **async_uses}.items():
            client = self.farthing.wrap(self.async_client() if name in async_uses else self.client())
            self.intake.events.clear()
            await use(client) if name in async_uses else use(client)
            self.farthing.flush()
            kinds = [event["event_type"] for event in self.intake.events]
            self.assertEqual(kinds, ["anthropic.messages.before", "anthropic.messages.after"], name)
            self.assertEqual(self.intake.events[1]["response"]["usage"], answers.messages_usage, name)
            self.assertNotIn("aborted", self.intake.events[1], name)
        self.assertEqual(self.told, [])

    def test_a_stream_that_is_left_reports_what_it_has_used_so_far(self) -> None:
        client = self.farthing.wrap(self.client("endless"))
        with client.messages.create(**claude, stream=True) as stream:
            for _ in stream:
                break
        with client.messages.stream(**claude) as helped:
            for _ in helped:
                break
        for left in self.outcomes(2):
            self.assertEqual(left["response"]["usage"], answers.messages_first_usage)
            self.assertTrue(left["aborted"])
        eventually(lambda: self.provider.abandoned >= 2)

    def test_a_stream_that_fails_is_a_failed_call_with_what_it_has_used(self) -> None:
        for manner in ("cut", "failing"):
            with self.assertRaises(Exception):
                list(self.farthing.wrap(self.client(manner)).messages.create(**claude, stream=True))
        cut, failing = self.outcomes(2)
        self.assertEqual((cut["event_type"], cut["aborted"]), ("anthropic.messages.error", True))
        self.assertEqual(failing["error_type"], "overloaded_error")
        for failed in (cut, failing):
            self.assertEqual(failed["response"]["usage"], answers.messages_first_usage)

    async def test_a_call_that_is_cancelled_is_aborted(self) -> None:
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(acreate(self.farthing.wrap(self.async_client("slow"))), 0.1)
        self.assertTrue(self.outcomes(1)[0]["aborted"])

    def test_each_answer_of_a_batch_counts_once_for_whom_it_was_begun(self) -> None:
        client = self.farthing.wrap(self.client())
        with farthing.attribute(customer="acme"):
            client.messages.batches.create(requests=[])
        for _ in range(2):
            results = list(client.messages.batches.results("msgbatch_1"))
            self.assertEqual([one.custom_id for one in results], ["0", "1"])
        self.farthing.flush()
        self.assertEqual(len(self.intake.events), 4)
        self.assertEqual(len({event["event_id"] for event in self.intake.events}), 2)
        for event in self.intake.events:
            self.assertEqual(event["tags"], {"customer": "acme"})
            self.assertEqual((event["event_type"], event["service_tier"]), ("anthropic.batch.after", "batch"))
            self.assertEqual(event["response"]["usage"], answers.messages_usage)

    async def test_results_of_a_batch_asynchronously(self) -> None:
        client = self.farthing.wrap(self.async_client())
        self.assertEqual(
            [one.custom_id async for one in await client.messages.batches.results("msgbatch_1")], ["0", "1"]
        )
        self.farthing.flush()
        self.assertEqual(len(self.intake.events), 2)

    async def test_bedrock_and_vertex(self) -> None:
        keys = {"aws_access_key": "k", "aws_secret_key": "s", "aws_region": "us-east-1"}
        url = self.provider.at("anthropic")
        bedrock = self.farthing.wrap(AnthropicBedrock(**keys, base_url=url))
        bedrock.messages.create(**claude)
        self.assertEqual(len(list(bedrock.messages.create(**claude, stream=True))), 7)
        with bedrock.messages.with_streaming_response.create(**claude, stream=True) as response:
            response.read()
        self.farthing.wrap(AsyncAnthropicBedrock(**keys, base_url=url))
        vertex = self.farthing.wrap(AnthropicVertex(region="us-east1", project_id="p", access_token="t", base_url=url))
        vertex.messages.create(**claude)
        self.assertEqual(len(list(vertex.messages.create(**claude, stream=True))), 7)
        ended = self.outcomes(5)
        self.assertEqual([event["response"]["usage"] for event in ended], [answers.messages_usage] * 5)
        self.assertEqual([event["provider"] for event in ended], ["aws"] * 3 + ["google-vertex"] * 2)

    def test_middleware_of_the_hosts_own_stays(self) -> None:
        seen = []

        def note(request: Any, call_next: Any) -> Any:
            seen.append(request)
            return call_next(request)

        client = self.farthing.wrap(self.client())
        client.copy(middleware=[note]).messages.create(**claude)
        self.farthing.wrap(self.client().copy(middleware=[note])).messages.create(**claude)
        self.assertEqual(len(seen), 2)
        self.outcomes(2)


class WithAioHttp(WithAnthropic):
    """The same by the transport of aiohttp, as its extra offers."""

    async def asyncSetUp(self) -> None:
        self.async_transport = anthropic.DefaultAioHttpClient()


if __name__ == "__main__":
    unittest.main()
