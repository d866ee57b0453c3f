"""The real package of LiteLLM: each way to ask is one call, with the usage that LiteLLM passes on."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from typing import Any

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
import openai
from support import Intake, Provider, answers, eventually, free_port, reporting

import farthing
from farthing.litellm import Logger

messages: Any = [{"role": "user", "content": "hi"}]
litellm.suppress_debug_info = True
config = """
model_list:
  - model_name: gpt
    litellm_params: {{model: openai/gpt-5, api_base: "{url}", api_key: k}}
litellm_settings:
  callbacks: ["farthing.litellm.logger"]
"""


class WithLiteLlm(unittest.IsolatedAsyncioTestCase):
    provider: Provider

    @classmethod
    def setUpClass(cls) -> None:
        cls.provider = Provider()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.provider.close()

    def setUp(self) -> None:
        self.intake = Intake()
        self.farthing, self.told = reporting(self.intake)
        self.logger = Logger(self.farthing)
        litellm.callbacks = [self.logger]
        for kind in ("input", "success", "failure", "_async_input", "_async_success", "_async_failure"):
            setattr(litellm, f"{kind}_callback", [])
        self.addCleanup(self.intake.close)

    def tearDown(self) -> None:
        litellm.callbacks = []

    def asked(self, name: str = "openai", manner: str = "ok", **more: Any) -> Any:
        model = {"openai": "openai/gpt-5", "anthropic": "anthropic/claude-sonnet-4-5"}[name]
        return {
            "model": model,
            "messages": messages,
            "api_base": self.provider.at(name, manner),
            "api_key": "k",
            "max_retries": 0,
            **more,
        }

    async def outcomes(self, count: int) -> Any:
        """The last events of so many calls, also once all that LiteLLM still does in the background is done."""

        def ended() -> Any:
            self.farthing.flush()
            return len(self.intake.of("after") + self.intake.of("error")) >= count

        await asyncio.to_thread(eventually, ended)
        await asyncio.sleep(0.5)
        await asyncio.to_thread(self.farthing.flush)
        self.assertEqual(len(self.intake.events), 2 * count, [event["event_type"] for event in self.intake.events])
        self.assertEqual(self.told, [])
        return self.intake.of("after") + self.intake.of("error")

    async def test_each_way_to_ask_is_one_call_with_its_usage(self) -> None:
        options = {"include_usage": True}
        for name, usage in (("openai", 2006), ("anthropic", 4521)):
            for stream in (False, True):
                for is_async in (False, True):
                    with self.subTest(f"{name}, stream {stream}, async {is_async}"):
                        self.intake.events.clear()
                        more = {"stream": True, "stream_options": options} if stream else {}
                        asked = self.asked(
                            name, user="acme", metadata={"feature": "chat", "tags": ["plan:pro"]}, **more
                        )
                        if is_async:
                            answer = await litellm.acompletion(**asked)
                            if stream:
                                [one async for one in answer]
                        else:
                            answer = await asyncio.to_thread(litellm.completion, **asked)
                            if stream:
                                list(answer)
                        (after,) = await self.outcomes(1)
                        found = after["response"]["usage"]
                        # The input of Anthropic's streams is read from an event that the stand-in leaves without it.
                        if name == "openai" or not stream:
                            self.assertEqual(found["prompt_tokens"], usage)
                        self.assertEqual(found["completion_tokens"], 300 if name == "openai" else 393)
                        self.assertEqual(after["provider"], name)
                        self.assertIn(after["model"], ("gpt-5", "claude-sonnet-4-5", "claude"))
                        self.assertEqual(
                            after["tags"], {"customer": "acme", "feature": "chat", "plan": "pro"}, after["event_type"]
                        )
                        self.assertGreater(after["reported_cost"], 0)

    async def test_embeddings_and_responses(self) -> None:
        await litellm.aembedding(
            model="openai/text-embedding-3-small", input=["hi"], api_base=self.provider.at("openai"), api_key="k"
        )
        await litellm.aresponses(model="openai/gpt-5", input="hi", api_base=self.provider.at("openai"), api_key="k")
        embedded, responded = await self.outcomes(2)
        self.assertEqual(embedded["response"]["usage"]["prompt_tokens"], 37)
        self.assertEqual(responded["response"]["usage"]["prompt_tokens"], 1200)

    async def test_failures_and_cancelled_calls(self) -> None:
        for name in ("openai", "anthropic"):
            with self.assertRaises(litellm.RateLimitError):
                litellm.completion(**self.asked(name, "limited"))
            with self.assertRaises(litellm.RateLimitError):
                await litellm.acompletion(**self.asked(name, "limited"))
        for failed in await self.outcomes(4):
            self.assertEqual((failed["error_type"], failed["status"]), ("RateLimitError", 429))

    async def test_retries_and_fallbacks(self) -> None:
        self.provider.bodies.clear()
        asked = self.asked("openai", "busy")
        await litellm.acompletion(**{**asked, "num_retries": 2})
        events = [event["event_type"] for event in await self.outcomes(1)]
        self.assertEqual(events, ["litellm.acompletion.after"])

    async def test_beside_a_wrapped_client_a_call_is_one_call(self) -> None:
        base = self.provider.at("openai")
        client = self.farthing.wrap(openai.OpenAI(api_key="k", base_url=base))
        async_client = self.farthing.wrap(openai.AsyncOpenAI(api_key="k", base_url=base))
        await asyncio.to_thread(litellm.completion, **self.asked(), client=client)
        await litellm.acompletion(**self.asked(), client=async_client)
        stream = await litellm.acompletion(**self.asked(), client=async_client, stream=True)
        [one async for one in stream]
        for after in await self.outcomes(3):
            self.assertEqual(after["response"]["usage"], answers.chat_usage)
        self.intake.events.clear()
        # A request of the host's own, while LiteLLM has not yet told the end of the one before.
        await litellm.acompletion(**self.asked())
        await async_client.chat.completions.create(model="gpt-5", messages=messages)
        await self.outcomes(2)

    async def test_an_answer_of_its_cache_costs_nothing(self) -> None:
        litellm.cache = litellm.Cache()
        try:
            for _ in range(2):
                await litellm.acompletion(**self.asked(), caching=True)
                await asyncio.sleep(0.2)
        finally:
            litellm.cache = None
        first, second = await self.outcomes(2)
        self.assertNotIn("gateway_cache", first)
        self.assertTrue(second["gateway_cache"])

    async def test_many_at_once_for_whom_they_are(self) -> None:
        async def ask(customer: int) -> None:
            with farthing.attribute(customer=customer):
                await litellm.acompletion(**self.asked())

        await asyncio.gather(*(ask(one) for one in range(20)))
        found = await self.outcomes(20)
        self.assertEqual(sorted(int(event["tags"]["customer"]) for event in found), list(range(20)))


class WithProxy(unittest.TestCase):
    """The proxy, configured as the page says."""

    def test_each_request_is_one_call_for_whom_it_says(self) -> None:
        provider, intake, port = Provider(), Intake(), free_port()
        self.addCleanup(provider.close)
        self.addCleanup(intake.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, "config.yaml"), "w") as file:
            file.write(config.format(url=provider.at("openai")))
        log = tempfile.TemporaryFile()
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [os.path.join(os.path.dirname(sys.executable), "litellm"), "--config", "config.yaml", "--port", str(port)],
            cwd=folder.name,
            env={
                **os.environ,
                "FARTHING_URL": intake.url,
                "FARTHING_CLIENT_ID": "c",
                "FARTHING_CLIENT_SECRET": "s",
                "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("src")),
            },
            stdout=log,
            stderr=log,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def ask(**more: Any) -> bytes:
            body = {"model": "gpt", "messages": messages, "user": "acme", "metadata": {"feature": "chat"}, **more}
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}/v1/chat/completions",
                json.dumps(body).encode(),
                {"Content-Type": "application/json"},
            )
            answer: bytes = urllib.request.urlopen(request, timeout=60).read()
            return answer

        def is_up() -> bool:
            try:
                return bool(ask())
            except OSError:
                self.assertIsNone(process.poll(), os.pread(log.fileno(), 100_000, 0).decode()[-4000:])
                time.sleep(0.5)
                return False

        eventually(is_up, 240)
        ask(stream=True, stream_options={"include_usage": True})
        eventually(lambda: len(intake.of("after")) >= 2)
        time.sleep(1)
        self.assertEqual(len(intake.events), 4)
        for after in intake.of("after"):
            self.assertEqual(after["response"]["usage"]["prompt_tokens"], 2006)
            self.assertEqual((after["model"], after["provider"]), ("gpt-5", "openai"))
            self.assertEqual(
                {name: after["tags"].get(name) for name in ("customer", "feature")},
                {"customer": "acme", "feature": "chat"},
            )


if __name__ == "__main__":
    unittest.main()
