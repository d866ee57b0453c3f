"""Clients of mistralai and cohere, with stand-ins for them; `tests/real` has more with the real packages."""

from __future__ import annotations

import asyncio
import os
import sys
import unittest
import unittest.mock
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standins"))

from cohere import ClientV2
from mistralai import Mistral
from support import Asking, answers, free_port

import farthing

small, command = {"model": "mistral-small-latest"}, {"model": "command-a-03-2025"}


class Transport(Asking):
    def mistral(self, manner: str = "ok") -> Any:
        return self.farthing.wrap(Mistral(self.provider.at("mistral", manner)))

    def cohere(self, manner: str = "ok") -> Any:
        fern = self.farthing.wrap(ClientV2(self.provider.at("cohere", manner)))._client_wrapper.httpx_client
        return lambda path, **body: fern.request(path, method="POST", json={**command, **body})

    def test_trap_17_each_part_of_mistral_s_client_reports_its_requests(self) -> None:
        client = self.mistral()
        self.farthing.wrap(client.chat)

        async def ask() -> None:
            response = await client.chat.ask_async("/v1/chat/completions", **small, stream=True)
            async for _ in response.aiter_bytes():
                pass

        with farthing.attribute(customer="acme"):
            client.ask("/v1/chat/completions", **small)
            response = client.chat.ask("/v1/chat/completions", **small, stream=True)
            b"".join(response.iter_bytes())
            asyncio.run(ask())
            client.ask("/v1/ocr", **small)
            client.ask("/v1/conversations", **small)
        whole, stream, async_stream, ocr, conversation = self.outcomes(5)
        self.assertEqual(whole["response"]["usage"], answers.chat_usage)
        for streamed in (stream, async_stream):
            self.assertEqual(streamed["response"]["usage"], answers.mistral_usage)
            self.assertEqual((streamed["event_type"], streamed["provider"]), ("mistral.chat.after", "mistral"))
        self.assertEqual(ocr["response"]["usage_info"]["pages_processed"], 1)
        self.assertEqual(conversation["model"], "mistral-medium-2508")
        self.assertEqual({event["tags"]["customer"] for event in self.intake.of("after")}, {"acme"})
        self.assertEqual(self.told, [])

    def test_speech_is_charged_by_its_text_and_what_is_not_reported_is_told(self) -> None:
        client = self.mistral()
        client.ask("/v1/audio/speech", model="voxtral-tts", input="hello")
        client.ask("/v1/moderations", **small)
        client.ask("/v1/files", **small)
        self.assertEqual(self.outcomes(1)[0]["characters"], 5)
        self.assertEqual([one.message for one in self.told], ["requests of /v1/moderations are not reported"])

    def test_what_else_passes_a_host_s_own_http_client_is_left_alone(self) -> None:
        client, other = self.mistral(), Mistral(self.provider.at("other"))
        other.sdk_configuration.client = client.sdk_configuration.client
        other.ask("/v1/chat/completions", **small)
        client.ask("/v1/chat/completions", **small)
        self.outcomes(1)

    def test_cohere_s_requests_are_calls_and_what_it_repeats_is_one(self) -> None:
        client = self.cohere()
        client("v2/chat")
        client("v1/chat")
        client("v2/rerank", model="rerank-v3.5")
        self.provider.bodies.clear()
        self.cohere("busy")("v2/chat")
        self.assertEqual(len(self.provider.bodies), 2)
        found = self.outcomes(4)
        self.assertEqual(found[0]["response"]["usage"], answers.cohere_usage)
        self.assertEqual(found[1]["response"]["meta"], answers.cohere_first_answer["meta"])
        self.assertEqual(found[2]["response"]["meta"]["billed_units"], {"search_units": 1})
        self.assertEqual(
            [(event["event_type"], event["model"]) for event in found[:3]],
            [
                ("cohere.chat.after", "command-a-03-2025"),
                ("cohere.chat.after", "command-a-03-2025"),
                ("cohere.rerank.after", "rerank-v3.5"),
            ],
        )
        self.assertNotIn("secret", str(self.intake.events))

    def test_cohere_s_streams(self) -> None:
        for path in ("v1/chat", "v2/chat"):
            for manner in ("ok", "endless"):
                with self.subTest(f"{path}, {manner}"):
                    self.intake.events.clear()
                    client = self.farthing.wrap(ClientV2(self.provider.at("cohere", manner)))
                    fern = client._client_wrapper.httpx_client
                    response = fern.stream(path, method="POST", json={**command, "stream": True})
                    if manner == "ok":
                        b"".join(response.iter_bytes())
                    else:
                        next(iter(response.iter_bytes()))
                        response.close()
                    (after,) = self.outcomes(1)
                    if manner == "endless":
                        self.assertTrue(after["aborted"])
                        continue
                    told = after["response"].get("usage") or after["response"]["meta"]
                    self.assertEqual(told["billed_units"], answers.cohere_usage["billed_units"])
                    self.assertNotIn("aborted", after)

    def test_refusals_and_what_can_not_be_reached(self) -> None:
        self.mistral("limited").ask("/v1/chat/completions", **small)
        self.mistral("limited").ask("/v1/chat/completions", **small, stream=True)
        self.cohere("limited")("v2/chat")
        away = self.farthing.wrap(Mistral(f"http://127.0.0.1:{free_port()}/ok/mistral"))
        with self.assertRaises(OSError):
            away.ask("/v1/chat/completions", **small)
        found = self.outcomes(4)
        self.assertEqual([event.get("status") for event in found], [429, 429, 429, None])
        self.assertEqual(found[0]["error_message"], "Slow down.")
        self.assertEqual(found[3]["error_type"], "ConnectionRefusedError")

    def test_trap_11_a_wait_that_times_out_is_aborted(self) -> None:
        async def ask() -> None:
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.mistral("slow").ask_async("/v1/chat/completions", **small), 0.05)

        asyncio.run(ask())
        self.assertTrue(self.outcomes(1)[0]["aborted"])

    def test_a_fault_of_the_package_never_reaches_the_host(self) -> None:
        for part in ("begin_call", "_answer", "find"):
            with (
                self.subTest(part),
                unittest.mock.patch(f"farthing._transport.{part}", side_effect=RuntimeError("mine")),
            ):
                self.assertEqual(self.mistral().ask("/v1/chat/completions", **small).status_code, 200)
                self.assertEqual(self.cohere()("v2/chat").status_code, 200)
        self.assertEqual(self.told.codes, ["internal"])


if __name__ == "__main__":
    unittest.main()
