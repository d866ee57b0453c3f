"""The package against the real `openai`, of whatever version is installed."""

from __future__ import annotations

import asyncio
import copy
import gc
import os
import sys
import unittest
from contextvars import copy_context
from typing import Any

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

import openai
from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI
from pydantic import BaseModel
from same import differences
from support import Asking, Intake, answers, eventually, free_port, reporting

import farthing
from farthing._event_id import event_id_of

chat = {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}
asked = {"model": "gpt-5", "input": "hi"}


class Answer(BaseModel):
    n: int


def lines_of(client: Any) -> Any:
    with client.chat.completions.with_streaming_response.create(**chat, stream=True) as response:
        return list(response.iter_lines())


def raw_stream(client: Any) -> Any:
    return list(client.chat.completions.with_raw_response.create(**chat, stream=True).parse())


def helper_stream(client: Any) -> Any:
    with client.chat.completions.stream(**chat) as stream:
        return [event.type for event in stream] + [stream.get_final_completion()]


def responses_helper(client: Any) -> Any:
    with client.responses.stream(**asked) as stream:
        return [event.type for event in stream] + [stream.get_final_response()]


def unread(client: Any) -> Any:
    with client.embeddings.with_streaming_response.create(model="e", input="hi") as response:
        return response.read(), response.status_code


def by_next(client: Any) -> Any:
    stream = client.chat.completions.create(**chat, stream=True)
    return [type(stream).__name__, isinstance(stream, openai.Stream), next(stream), next(stream), list(stream)]


uses = {
    "create": lambda client: client.chat.completions.create(**chat),
    "stream": lambda client: list(client.chat.completions.create(**chat, stream=True)),
    "stream with usage": lambda client: list(
        client.chat.completions.create(**chat, stream=True, stream_options={"include_usage": True})
    ),
    "next": by_next,
    "parse": lambda client: client.chat.completions.parse(**chat, response_format=Answer),
    "raw": lambda client: client.chat.completions.with_raw_response.create(**chat).parse(),
    "raw text": lambda client: client.chat.completions.with_raw_response.create(**chat).text,
    "raw stream": raw_stream,
    "raw parse": lambda client: client.chat.completions.with_raw_response.parse(**chat, response_format=Answer).parse(),
    "lines": lines_of,
    "unread": unread,
    "chat.completions.stream": helper_stream,
    "responses": lambda client: client.responses.create(**asked),
    "responses stream": lambda client: list(client.responses.create(**asked, stream=True)),
    "responses.stream": responses_helper,
    "responses.parse": lambda client: client.responses.parse(**asked, text_format=Answer),
    "embeddings": lambda client: client.embeddings.create(model="e", input="hi"),
    "images": lambda client: client.images.generate(model="gpt-image-1", prompt="hi"),
    "speech": lambda client: client.audio.speech.create(model="tts-1", input="hi", voice="ash").content,
    "transcription": lambda client: client.audio.transcriptions.create(
        model="whisper-1", file=("a.mp3", b"1"), response_format="verbose_json"
    ),
    "batch": lambda client: client.batches.retrieve("batch_1"),
    "not reported": lambda client: client.vector_stores.create(),
    "own post": lambda client: client.post("/chat/completions", body=chat, cast_to=object),
    "copy": lambda client: client.with_options(timeout=9).copy(max_retries=0).chat.completions.create(**chat),
}


async def astream(client: Any) -> Any:
    return [chunk async for chunk in await client.chat.completions.create(**chat, stream=True)]


async def alines(client: Any) -> Any:
    async with client.chat.completions.with_streaming_response.create(**chat, stream=True) as response:
        return [line async for line in response.iter_lines()]


async def ahelper(client: Any) -> Any:
    async with client.chat.completions.stream(**chat) as stream:
        return [event.type async for event in stream] + [await stream.get_final_completion()]


async def acreate(client: Any) -> Any:
    return await client.chat.completions.create(**chat)


async def aparse(client: Any) -> Any:
    return await client.chat.completions.parse(**chat, response_format=Answer)


async def araw(client: Any) -> Any:
    return (await client.chat.completions.with_raw_response.create(**chat)).parse()


async def araw_stream(client: Any) -> Any:
    return [
        chunk async for chunk in (await client.chat.completions.with_raw_response.create(**chat, stream=True)).parse()
    ]


async def aresponses(client: Any) -> Any:
    return [event async for event in await client.responses.create(**asked, stream=True)]


async def acopy(client: Any) -> Any:
    return await client.with_options(timeout=9).embeddings.create(model="e", input="hi")


async_uses = {
    use.__name__: use for use in (acreate, astream, alines, ahelper, aparse, araw, araw_stream, aresponses, acopy)
}


class WithOpenAI(Asking, unittest.IsolatedAsyncioTestCase):
    transport: Any

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # A client of its own for each of several hundred would load certificates for each.
        cls.transport = openai.DefaultHttpxClient()

    async def asyncSetUp(self) -> None:
        self.async_transport = openai.DefaultAsyncHttpxClient()

    async def asyncTearDown(self) -> None:
        await self.async_transport.aclose()

    def client(self, manner: str = "ok", **options: Any) -> OpenAI:
        return OpenAI(
            **{
                "api_key": "k",
                "base_url": self.provider.at("openai", manner),
                "max_retries": 0,
                "http_client": self.transport,
                **options,
            }
        )

    def async_client(self, manner: str = "ok", **options: Any) -> AsyncOpenAI:
        return AsyncOpenAI(
            **{
                "api_key": "k",
                "base_url": self.provider.at("openai", manner),
                "max_retries": 0,
                "http_client": self.async_transport,
                **options,
            }
        )

    async def test_the_host_gets_what_it_gets_without(self) -> None:
        manners = ["ok", "limited", "cut", "failing"]
        found = await differences(uses, manners, self.client, self.farthing.wrap)
        found += await differences(async_uses, manners, self.async_client, self.farthing.wrap)
        self.assertEqual(found, [])
        self.assertEqual(self.told.codes, ["not_reported"])

    async def test_the_host_gets_it_from_a_service_that_is_away_too(self) -> None:
        away = farthing.Farthing(f"http://127.0.0.1:{free_port()}", "c", "s", on_problem=self.told.append)
        self.assertEqual(await differences(uses, ["ok", "limited"], self.client, away.wrap), [])
        away.close(0)
        self.assertEqual(set(self.told.codes), {"unreachable", "not_reported", "unsent"})

    async def test_each_use_reports_each_call_once_with_its_usage(self) -> None:
        expected = {
            **dict.fromkeys(uses, "prompt_tokens"),
            **dict.fromkeys(async_uses, "prompt_tokens"),
            **dict.fromkeys(
                [
                    "responses",
                    "responses stream",
                    "responses.stream",
                    "responses.parse",
                    "aresponses",
                    "images",
                    "batch",
                ],
                "input_tokens",
            ),
        }
        for name, use in {**uses, **async_uses}.items():
            if name in ("not reported", "speech", "transcription", "batch"):
                continue
            client = self.farthing.wrap(self.async_client() if name in async_uses else self.client())
            self.intake.events.clear()
            await use(client) if name in async_uses else use(client)
            self.farthing.flush()
            self.assertEqual(
                [event["event_type"].partition(".")[2].partition(".")[2] for event in self.intake.events],
                ["before", "after"],
                name,
            )
            last = self.intake.events[-1]
            self.assertIn(expected[name], last["response"]["usage"], name)
            self.assertNotIn("aborted", last, name)
        self.assertEqual(self.told, [])

    def test_the_usage_is_the_providers_own(self) -> None:
        client = self.farthing.wrap(self.client())
        with farthing.attribute(customer="acme", feature="chat"):
            uses["create"](client)
            uses["stream"](client)
            uses["raw"](client)
            uses["responses"](client)
        after = self.outcomes(4)
        self.assertEqual(
            [event["response"]["usage"] for event in after], [answers.chat_usage] * 3 + [answers.responses_usage]
        )
        self.assertEqual(after[3]["response"]["output"], [{"type": "web_search_call", "action": {"type": "search"}}])
        self.assertEqual({event["tags"]["customer"] for event in self.intake.events}, {"acme"})
        self.assertNotIn("secret", str(self.intake.events))
        self.assertNotIn("hi", {str(value) for event in self.intake.events for value in event.values()})

    def test_counts_of_what_has_no_tokens(self) -> None:
        client = self.farthing.wrap(self.client())
        client.audio.speech.create(model="tts-1", input="hello", voice="ash")
        uses["transcription"](client)
        uses["images"](client)
        speech, heard, image = self.outcomes(3)
        self.assertEqual((speech["event_type"], speech["characters"]), ("openai.speech.after", 5))
        self.assertEqual((heard["event_type"], heard["audio_seconds"]), ("openai.transcriptions.after", 12.5))
        self.assertEqual(image["response"]["usage"], answers.images_answer["usage"])

    def test_a_request_that_is_repeated_is_one_call(self) -> None:
        self.provider.bodies.clear()
        self.farthing.wrap(self.client("busy", max_retries=2)).chat.completions.create(**chat)
        self.assertEqual(len(self.provider.bodies), 2)
        self.assertEqual(self.outcomes(1)[0]["event_type"], "openai.chat.after")

    def test_an_answer_that_the_hosts_schema_refuses_is_charged_and_not_repeated(self) -> None:
        class Other(BaseModel):
            other: int

        client = self.farthing.wrap(self.client())
        with self.assertRaises(ValueError):
            client.chat.completions.parse(**chat, response_format=Other)
        with self.assertRaises(ValueError):
            client.responses.parse(**asked, text_format=Other)
        for refused in self.outcomes(2):
            self.assertTrue(refused["event_type"].endswith(".after"))
            self.assertTrue(refused["response"]["usage"])

    def test_an_error_is_reported_and_raised(self) -> None:
        with self.assertRaises(openai.RateLimitError):
            self.farthing.wrap(self.client("limited")).chat.completions.create(**chat)
        failed = self.outcomes(1)[0]
        self.assertEqual(
            (failed["event_type"], failed["error_type"], failed["status"]), ("openai.chat.error", "RateLimitError", 429)
        )

    def test_a_provider_that_refuses_to_be_asked_for_usage_is_asked_again_without(self) -> None:
        client = self.farthing.wrap(self.client("plain"))
        self.provider.bodies.clear()
        self.assertEqual(len(uses["stream"](client)), 4)
        self.assertEqual(len(uses["stream"](client)), 4)
        self.assertEqual(["stream_options" in body for body in self.provider.bodies], [True, False, False])
        self.outcomes(2)

    def test_a_stream_that_is_left_is_aborted(self) -> None:
        client = self.farthing.wrap(self.client("endless"))
        with client.chat.completions.create(**chat, stream=True) as stream:
            next(stream)
            for _ in stream:
                break
        kept = client.chat.completions.create(**chat, stream=True)
        for _ in kept:
            break
        kept.close()
        client.chat.completions.create(**chat, stream=True)
        client.responses.create(**asked, stream=True)
        del stream, kept
        gc.collect()
        left = self.outcomes(4)
        self.assertEqual([event.get("aborted") for event in left], [True] * 4)
        self.assertEqual(left[0]["output_tokens"], 1)
        eventually(lambda: self.provider.abandoned >= 2)

    def test_a_stream_that_fails_is_a_failed_call(self) -> None:
        for manner in ("cut", "failing"):
            client = self.farthing.wrap(self.client(manner))
            with self.assertRaises(Exception):
                list(client.responses.create(**asked, stream=True))
        cut, failing = self.outcomes(2)
        self.assertEqual((cut["event_type"], cut["aborted"]), ("openai.responses.error", True))
        self.assertEqual((failing["error_type"], failing["error_message"]), ("overloaded_error", "Overloaded"))

    def test_a_host_that_stops_at_the_end_of_the_answer_reports_the_usage_behind_it(self) -> None:
        stream = self.farthing.wrap(self.client()).chat.completions.create(**chat, stream=True)
        for chunk in stream:
            if chunk.choices[0].finish_reason:
                break
        stream.close()
        stopped = self.outcomes(1)[0]
        self.assertEqual(stopped["response"]["usage"], answers.chat_usage)
        self.assertNotIn("aborted", stopped)

    async def test_a_call_that_is_cancelled_is_aborted(self) -> None:
        client = self.farthing.wrap(self.async_client("slow"))
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(acreate(client), 0.1)
        cancelled = self.outcomes(1)[0]
        self.assertEqual((cancelled["event_type"], cancelled["aborted"]), ("openai.chat.error", True))
        self.assertEqual(cancelled["response"], {})

    async def test_a_stream_that_another_task_closes_is_aborted(self) -> None:
        stream = await self.farthing.wrap(self.async_client("endless")).chat.completions.create(**chat, stream=True)
        reading = asyncio.create_task(stream.__anext__())
        await reading
        await copy_context().run(asyncio.create_task, stream.close())
        self.assertTrue(self.outcomes(1)[0]["aborted"])

    def test_two_layers_report_once(self) -> None:
        second_intake = Intake()
        self.addCleanup(second_intake.close)
        second, _ = reporting(second_intake)
        client = second.wrap(self.farthing.wrap(self.farthing.wrap(self.client())))
        second.wrap(client.with_options(timeout=9)).chat.completions.create(**chat)
        uses["create"](copy.copy(client))
        second.flush()
        self.outcomes(2)
        self.assertEqual(second_intake.events, [])

    def test_batches_are_for_whom_they_were_begun_and_count_once(self) -> None:
        client = self.farthing.wrap(self.client())
        with farthing.attribute(customer="acme"):
            client.batches.create(completion_window="24h", endpoint="/v1/responses", input_file_id="file-1")
        for _ in range(2):
            with farthing.attribute(run="r1"):
                client.batches.retrieve("batch_1")
        client.batches.with_raw_response.retrieve("batch_1")
        self.farthing.flush()
        self.assertEqual({event["event_id"] for event in self.intake.events}, {event_id_of("openai.batch batch_1")})
        self.assertEqual(self.intake.events[0]["tags"], {"customer": "acme", "run": "r1"})
        self.assertEqual(self.intake.events[0]["response"]["usage"], answers.batch_answer("completed")["usage"])
        self.assertEqual(self.intake.events[0]["service_tier"], "batch")

    def test_an_answer_in_the_background_ends_when_it_is_there(self) -> None:
        client = self.farthing.wrap(self.client())
        begun = client.responses.create(**asked, background=True)
        while begun.status in ("queued", "in_progress"):
            begun = client.responses.retrieve(begun.id)
        self.assertEqual(self.outcomes(1)[0]["response"]["usage"], answers.responses_usage)

    def test_azure(self) -> None:
        options = {"api_key": "k", "api_version": "2024-10-21", "azure_endpoint": self.provider.url, "max_retries": 0}
        with self.assertRaises(openai.APIError):
            self.farthing.wrap(AzureOpenAI(**options)).chat.completions.create(**chat)
        with self.assertRaises(openai.APIError):
            asyncio.run(acreate(self.farthing.wrap(AsyncAzureOpenAI(**options))))
        self.assertEqual({event["provider"] for event in self.outcomes(2)}, {"azure"})

    def test_the_clients_class_and_methods_stay(self) -> None:
        client = self.client()
        kind, methods = type(client), set(dir(client))
        self.assertIs(self.farthing.wrap(client), client)
        self.assertIs(type(client), kind)
        self.assertLessEqual(methods, set(dir(client)))
        self.assertTrue(asyncio.iscoroutinefunction(self.farthing.wrap(self.async_client()).request))


class WithAioHttp(WithOpenAI):
    """The same by the transport of aiohttp, as its extra offers."""

    async def asyncSetUp(self) -> None:
        self.async_transport = openai.DefaultAioHttpClient()


if __name__ == "__main__":
    unittest.main()
