"""Wrapped clients, with the stand-in for `openai`; `tests/real` has the same and more with the real packages."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import os
import sys
import unittest
import warnings
from typing import Any
from unittest.mock import MagicMock, patch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standins"))

import openai
from support import Asking, Intake, amazon_message, answers, eventually, pieces_of, reporting

import farthing
from farthing._streams import Messages

chat = {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}


class Wrapped(Asking):
    def client(self, manner: str = "ok", **options: Any) -> Any:
        return openai.OpenAI(api_key="k", base_url=self.provider.at("openai", manner), **options)

    def async_client(self, manner: str = "ok") -> Any:
        return openai.AsyncOpenAI(api_key="k", base_url=self.provider.at("openai", manner))

    def test_a_call_is_two_events_with_the_providers_usage_and_without_what_was_said(self) -> None:
        client = self.client()
        self.assertIs(self.farthing.wrap(client), client)
        self.assertIs(type(client), openai.OpenAI)
        with farthing.attribute(customer="acme", user=7, feature="chat", run="r1", plan="pro"):
            answer = client.chat.completions.create(**chat)
        self.assertEqual(answer, self.client().chat.completions.create(**chat))
        after = self.outcomes(1)[0]
        before = self.intake.events[0]
        self.assertEqual(set(before), {"event_id", "event_type", "timestamp", "model", "provider", "tags"})
        self.assertEqual((before["event_type"], after["event_type"]), ("openai.chat.before", "openai.chat.after"))
        self.assertEqual(before["event_id"], after["event_id"])
        self.assertEqual(
            after["tags"], {"customer": "acme", "user": "7", "feature": "chat", "run": "r1", "plan": "pro"}
        )
        self.assertEqual(after["response"], {"id": "chatcmpl-1", "service_tier": "flex", "usage": answers.chat_usage})
        self.assertEqual((after["model"], after["provider"]), ("gpt-5", "openai"))
        self.assertGreater(after["elapsed_ms"], 0)

    def test_a_call_names_the_span_of_opentelemetry_that_it_is_in(self) -> None:
        client = self.farthing.wrap(self.client())
        context = MagicMock(is_valid=True, trace_id=10, span_id=11)
        trace = MagicMock()
        trace.get_current_span.return_value.get_span_context.return_value = context
        with patch.dict(sys.modules, {"opentelemetry.trace": trace}):
            client.chat.completions.create(**chat)
            context.is_valid = False
            client.chat.completions.create(**chat)
            trace.get_current_span.side_effect = RuntimeError
            client.chat.completions.create(**chat)
        first, *others = self.outcomes(3)
        self.assertEqual(first["origin"], {"trace": f"{10:032x}", "parent": f"{11:016x}", "span": first["event_id"]})
        self.assertEqual([one for one in others if "origin" in one], [])
        self.assertEqual(self.told, [])

    def test_a_call_names_the_span_that_an_instrumentation_of_its_class_has_inside_it(self) -> None:
        """As OpenInference's for openai 3.57.0, which replaces `request` of the class."""
        current = MagicMock(is_valid=False)
        trace = MagicMock()
        trace.get_current_span.return_value.get_span_context.return_value = current

        class Instrumented(openai.OpenAI):
            def request(self, *args: Any, **kwargs: Any) -> Any:
                current.is_valid, current.trace_id, current.span_id = True, 10, 12
                try:
                    return super().request(*args, **kwargs)
                finally:
                    current.is_valid = False

        for manner in ("ok", "limited"):
            client = self.farthing.wrap(Instrumented("k", self.provider.at("openai", manner), max_retries=0))
            with patch.dict(sys.modules, {"opentelemetry.trace": trace}), contextlib.suppress(openai.RateLimitError):
                client.chat.completions.create(**chat)
        for event in self.outcomes(2):
            self.assertEqual(event["origin"]["parent"], f"{12:016x}")

    def test_a_call_in_no_span_names_the_process_as_the_service_does_by_its_resource(self) -> None:
        resource = {"telemetry.sdk.language": "python", "service.name": "café"}
        trace = MagicMock()
        trace.get_current_span.return_value.get_span_context.return_value = MagicMock(is_valid=False)
        trace.get_tracer_provider.return_value.resource.attributes = resource
        client = self.farthing.wrap(self.client())
        with patch.dict(sys.modules, {"opentelemetry.trace": trace}):
            client.chat.completions.create(**chat)
            trace.get_tracer_provider.return_value.resource.attributes = {"process.pid": 7}
            client.chat.completions.create(**chat)
        first, second = self.outcomes(2)
        # A test of the service's intake has the same.
        self.assertEqual(first["origin"], {"process": "6d98e3b5314f131a", "span": first["event_id"]})
        self.assertNotIn("origin", second)

    def test_streams_are_the_hosts_own_with_the_same_chunks_and_are_asked_for_their_usage(self) -> None:
        client = self.farthing.wrap(self.client())
        stream = client.chat.completions.create(**chat, stream=True)
        self.assertIs(type(stream), openai.Stream)
        first = next(stream)
        self.assertEqual([first, *stream], list(self.client().chat.completions.create(**chat, stream=True)))
        asked, without = self.provider.bodies[-2:]
        self.assertEqual((asked["stream_options"], "stream_options" in without), ({"include_usage": True}, False))
        self.assertEqual(self.outcomes(1)[0]["response"]["usage"], answers.chat_usage)

    def test_chunks_that_the_host_asked_for_stay(self) -> None:
        more = {"stream": True, "stream_options": {"include_usage": True}}
        with_it = list(self.farthing.wrap(self.client()).chat.completions.create(**chat, **more))
        self.assertEqual(with_it, list(self.client().chat.completions.create(**chat, **more)))
        self.assertEqual(len(with_it), 5)
        self.outcomes(1)

    def test_trap_1_copies_of_a_client_report_too(self) -> None:
        client = self.farthing.wrap(self.client())
        client.with_options(max_retries=0).copy().chat.completions.create(**chat)
        self.outcomes(1)

    def test_traps_2_and_3_raw_answers_are_read_once_and_stay_as_they_are(self) -> None:
        raw = self.farthing.wrap(self.client()).chat.completions.with_raw_response
        self.assertEqual(raw.create(**chat).parse(), self.client().chat.completions.create(**chat))
        plain = self.client().chat.completions.with_raw_response.create(**chat, stream=True).http_response.read()
        self.assertEqual(raw.create(**chat, stream=True).http_response.read(), plain)
        self.assertEqual(len(list(raw.create(**chat, stream=True).parse())), 4)
        self.assertEqual([event["response"]["usage"] for event in self.outcomes(3)], [answers.chat_usage] * 3)

    def test_traps_8_and_9_a_stream_that_is_left_closed_or_forgotten_is_aborted(self) -> None:
        client = self.farthing.wrap(self.client("endless"))
        with client.chat.completions.create(**chat, stream=True) as stream:
            next(stream)
            for _ in stream:
                break
        self.assertEqual((self.outcomes(1)[0]["aborted"], self.outcomes(1)[0]["output_tokens"]), (True, 1))
        kept = client.chat.completions.create(**chat, stream=True)
        kept.close()
        self.outcomes(2)

        async def leave() -> Any:
            stream = await self.farthing.wrap(self.async_client("endless")).chat.completions.create(**chat, stream=True)
            async for _ in stream:
                break
            await stream.close()
            # Before the loop ends, which ends what it has of streams.
            self.outcomes(3)

        asyncio.run(leave())
        client.chat.completions.create(**chat, stream=True)
        gc.collect()
        self.assertEqual([one["aborted"] for one in self.outcomes(4)], [True] * 4)
        eventually(lambda: self.provider.abandoned >= 3)
        del stream, kept

    def test_a_host_that_stops_at_the_end_of_the_answer_reports_the_usage_behind_it(self) -> None:
        stream = self.farthing.wrap(self.client()).chat.completions.create(**chat, stream=True)
        for chunk in stream:
            if chunk.choices[0].finish_reason:
                break
        stream.close()
        stopped = self.outcomes(1)[0]
        self.assertEqual((stopped["response"]["usage"], stopped.get("aborted")), (answers.chat_usage, None))

    def test_a_stream_that_breaks_off_or_fails_is_a_failed_call(self) -> None:
        for manner, fault in (("cut", openai.APIConnectionError), ("failing", openai.APIError)):
            with self.assertRaises(fault):
                list(self.farthing.wrap(self.client(manner)).chat.completions.create(**chat, stream=True))
        cut, failing = self.outcomes(2)
        self.assertEqual((cut["error_type"], cut["aborted"]), ("APIConnectionError", True))
        self.assertEqual((failing["error_type"], failing["error_message"]), ("overloaded_error", "Overloaded"))

    def test_an_error_is_reported_and_raised_and_a_repeated_request_is_one_call(self) -> None:
        with self.assertRaises(openai.RateLimitError) as raised:
            self.farthing.wrap(self.client("limited", max_retries=0)).chat.completions.create(**chat)
        self.provider.bodies.clear()
        self.farthing.wrap(self.client("busy")).chat.completions.create(**chat)
        _after, failed = self.outcomes(2)
        self.assertEqual(len(self.provider.bodies), 2)
        self.assertEqual((failed["error_type"], failed["status"]), ("RateLimitError", 429))
        self.assertEqual(failed["error_message"], str(raised.exception)[:500])
        self.assertIsNone(raised.exception.__context__)

    def test_an_answer_that_the_hosts_schema_refuses_is_charged_and_not_repeated(self) -> None:
        """Seen with openai 3.57.0 and anthropic 2.14.0: `parse` raises what the answer says, after it was charged."""

        def refuse(text: str) -> object:
            raise ValueError(f"no {text}")

        for client in (self.farthing.wrap(self.client()), self.farthing.wrap(self.async_client())):
            with self.assertRaises(ValueError):
                answer = client.chat.completions.parse(**chat, response_format=refuse)
                asyncio.run(answer)
        for refused in self.outcomes(2):
            self.assertEqual(refused["response"]["usage"], answers.chat_usage)
            self.assertEqual((refused["event_type"], "error_message" in refused), ("openai.chat.after", False))

    def test_traps_4_and_20_the_clients_own_post_fields_that_are_left_out_and_warnings(self) -> None:
        client = self.farthing.wrap(self.client())
        left_out = {"stream": openai.Omit(), "stream_options": openai.Omit(), "service_tier": openai.Omit()}
        post = {"headers": {}, "stream": False, "stream_cls": None}
        # As those of Anthropic's `beta`.
        client.post("/chat/completions?beta=true", {**chat, **left_out}, **post)
        self.assertNotIn("stream_options", self.provider.bodies[-1])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            client.chat.completions.create(**{**chat, "model": "old"})
        self.assertEqual([one.filename for one in caught], [__file__])
        self.assertNotIn("service_tier", self.outcomes(2)[0])

    def test_trap_6_a_provider_that_refuses_to_be_asked_for_usage_is_asked_again_without(self) -> None:
        client = self.farthing.wrap(self.client("plain"))
        self.provider.bodies.clear()
        for _ in range(2):
            self.assertEqual(len(list(client.chat.completions.create(**chat, stream=True))), 4)
        self.assertEqual(["stream_options" in body for body in self.provider.bodies], [True, False, False])
        self.outcomes(2)

    def test_traps_10_and_11_coroutines_and_a_wait_that_times_out(self) -> None:
        async def run() -> None:
            client = self.farthing.wrap(self.async_client())
            self.assertTrue(asyncio.iscoroutinefunction(client.request))
            await client.chat.completions.create(**chat)
            chunks = [chunk async for chunk in await client.chat.completions.create(**chat, stream=True)]
            self.assertEqual(len(chunks), 4)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(
                    self.farthing.wrap(self.async_client("slow")).chat.completions.create(**chat), 0.05
                )

        asyncio.run(run())
        first, second, cancelled = self.outcomes(3)
        self.assertEqual([first["response"]["usage"], second["response"]["usage"]], [answers.chat_usage] * 2)
        self.assertEqual(
            (cancelled["event_type"], cancelled["aborted"], cancelled["response"]), ("openai.chat.error", True, {})
        )

    def test_traps_12_and_13_a_stream_notes_its_customer_when_it_starts(self) -> None:
        client = self.farthing.wrap(self.client())
        with farthing.attribute(customer="acme"):
            stream = client.chat.completions.create(**chat, stream=True)
            carried = contextvars.copy_context()
        with farthing.attribute(customer="globex"):
            list(stream)
        carried.run(lambda: client.chat.completions.create(**chat))
        self.assertEqual([event["tags"] for event in self.outcomes(2)], [{"customer": "acme"}] * 2)

    def test_trap_19_two_layers_report_once(self) -> None:
        second_intake = Intake()
        self.addCleanup(second_intake.close)
        second, _ = reporting(second_intake)
        client = second.wrap(self.farthing.wrap(self.farthing.wrap(self.client())))
        second.wrap(client.with_options()).chat.completions.create(**chat)
        second.flush()
        self.outcomes(1)
        self.assertEqual(second_intake.events, [])

    def test_traps_14_and_20_what_is_no_client_stays_as_it_is_and_is_told(self) -> None:
        for stranger in (MagicMock(spec=openai.OpenAI), MagicMock(), openai, None, 7):
            self.assertIs(self.farthing.wrap(stranger), stranger)
        self.assertEqual(self.told.codes, ["unknown_client"])

    def test_requests_that_may_cost_money_and_are_not_reported_are_told(self) -> None:
        client = self.farthing.wrap(self.client())
        for _ in range(2):
            client.post("/vector_stores", {}, headers={}, stream=False, stream_cls=None)
        self.assertEqual(self.told.codes, ["not_reported"])
        self.assertEqual(self.farthing.queued, 0)

    def test_a_fault_of_the_package_never_reaches_the_host(self) -> None:
        """Whatever of the package fails, the host has its answer and its errors."""
        import farthing._call
        import farthing._reading
        import farthing._requests
        import farthing._streams

        def broken(*_args: object, **_kwargs: object) -> Any:
            raise RuntimeError("broken")

        places = [
            (farthing._requests.Watcher, "_begin"),
            (farthing._requests.Watcher, "_answer"),
            (farthing._requests, "provider_of"),
            (farthing._requests, "_response_of"),
            (farthing._call.Call, "end"),
            (farthing._call.Call, "fail"),
            (farthing._call.Call, "_send"),
            (farthing._reading.Reading, "take"),
            (farthing._reading.Reading, "to_fields"),
            (farthing._streams.Tap, "_show"),
            (farthing._streams.Tap, "_finish"),
            (farthing._streams.Events, "feed"),
            (farthing._streams.Events, "end"),
            (farthing._streams, "_parse"),
            (type(self.farthing._queue), "push"),
        ]
        for owner, name in places:
            with self.subTest(name), unittest.mock.patch.object(owner, name, broken):
                client = self.farthing.wrap(self.client())
                self.assertEqual(client.chat.completions.create(**chat).id, "chatcmpl-1")
                chunks = list(client.chat.completions.create(**chat, stream=True))
                self.assertEqual([chunk.id for chunk in chunks][:4], ["chatcmpl-1"] * 4)
                with self.assertRaises(openai.RateLimitError):
                    self.farthing.wrap(self.client("limited", max_retries=0)).chat.completions.create(**chat)
        self.assertEqual(set(self.told.codes), {"internal"})

    def test_messages_of_amazons_streams_are_read_in_whatever_pieces_they_come(self) -> None:
        events = answers.messages_events("claude")
        data = b"".join(map(amazon_message, events))
        for size in (1, 7, 100, len(data)):
            messages = Messages()
            said = [piece.said for chunk in pieces_of(data, size) for piece in messages.feed(chunk)]
            self.assertEqual(said, events)


if __name__ == "__main__":
    unittest.main()
