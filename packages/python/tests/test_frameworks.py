"""LiteLLM, LangChain and LlamaIndex, with stand-ins for them; `tests/real` has more with the real packages."""

from __future__ import annotations

import os
import sys
import unittest
import unittest.mock
from datetime import datetime
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standins"))

import langchain_core
import litellm
import llama_index
from openai import OpenAI
from support import Asking, answers

import farthing
import farthing.langchain
import farthing.litellm
import farthing.llama_index

chat: Any = {"model": "gpt-5", "messages": []}


class Frameworks(Asking):
    def setUp(self) -> None:
        super().setUp()
        litellm.callbacks = [farthing.litellm.Logger(self.farthing)]
        self.langchain = farthing.langchain.Handler(self.farthing)
        self.llama = farthing.llama_index.Handler(self.farthing)

    def outcomes(self, count: int) -> Any:
        ended = super().outcomes(count)
        self.assertEqual(self.told, [])
        return ended

    def client(self, wrapped: bool = False, manner: str = "ok") -> Any:
        client = OpenAI(api_key="k", base_url=self.provider.at("openai", manner), max_retries=0)
        return self.farthing.wrap(client) if wrapped else client

    def asking(self, wrapped: bool = False, manner: str = "ok") -> Any:
        client = self.client(wrapped, manner)
        return lambda: client.chat.completions.create(**chat)

    def test_a_request_is_one_call_alone_and_beside_a_wrapped_client(self) -> None:
        for wrapped in (False, True):
            ask = self.asking(wrapped)
            uses = {
                "litellm.completion": lambda ask=ask: litellm.completion(ask, "a", ends=2, begins=2),
                "langchain.chat": lambda ask=ask: langchain_core.ChatModel(self.langchain, ask).invoke(),
                "llama_index.chat": lambda ask=ask: llama_index.Model(self.llama, ask).chat("s1"),
            }
            for kind, use in uses.items():
                with self.subTest(f"{kind}, wrapped {wrapped}"):
                    self.intake.events.clear()
                    with farthing.attribute(customer="acme"):
                        use()
                    (after,) = self.outcomes(1)
                    self.assertEqual(
                        (after["event_type"], after["model"], after["provider"], after["tags"]),
                        (f"{kind}.after", "gpt-5", "openai", {"customer": "acme"}),
                    )
                    self.assertEqual(after["response"]["usage"], answers.chat_usage)

    def test_frameworks_within_each_other_are_one_call(self) -> None:
        inner = self.asking(wrapped=True)
        model = llama_index.Model(self.llama, lambda: litellm.completion(inner, "b", ends=2))
        langchain_core.ChatModel(self.langchain, lambda: model.chat("s2")).invoke()
        # Some models answer a completion by a chat of their own.
        chat_of = llama_index.Model(self.llama, self.asking())
        llama_index.Model(self.llama, lambda: chat_of.chat("s4")).chat("s3", "Completion")
        first, second = self.outcomes(2)
        self.assertEqual(
            (first["event_type"], second["event_type"]), ("langchain.chat.after", "llama_index.completion.after")
        )
        self.assertEqual(second["response"]["usage"], answers.chat_usage)

    def test_a_call_whose_end_is_never_told_takes_no_other_request(self) -> None:
        ask = self.asking(wrapped=True)
        self.langchain.on_chat_model_start({}, [], run_id="lost", metadata={})
        langchain_core.ChatModel(self.langchain, ask, customer="acme").invoke()
        self.farthing.flush()
        (after,) = self.intake.of("after")
        self.assertEqual((after["tags"], len(self.intake.of("before"))), ({"customer": "acme"}, 2))

    def test_several_requests_begun_at_once_are_as_many_calls(self) -> None:
        for wrapped in (False, True):
            self.intake.events.clear()
            langchain_core.ChatModel(self.langchain, self.asking(wrapped)).generate(3)
            self.assertEqual({event["event_type"] for event in self.outcomes(3)}, {"langchain.chat.after"})

    def test_a_request_of_the_hosts_own_in_between_is_another_call(self) -> None:
        own, plain = self.asking(wrapped=True), self.client()
        streams = (
            langchain_core.ChatModel(
                self.langchain, lambda: plain.chat.completions.create(**chat, stream=True)
            ).stream(),
            llama_index.Model(self.llama, lambda: plain.chat.completions.create(**chat, stream=True)).stream("s5"),
        )
        for stream in streams:
            next(stream)
            own()
            list(stream)
        # LiteLLM tells the end of a call later, in the background.
        logger = litellm.callbacks[0]
        logger.log_pre_api_call(model="m", messages=[], kwargs={"litellm_call_id": "h", "call_type": "acompletion"})
        own()
        now = datetime.now()
        logger.log_success_event({"litellm_call_id": "h"}, {}, now, now)
        # Asynchronously, others of its handlers tell it alone.
        told = {"litellm_call_id": "i", "call_type": "acompletion", "model": "gpt-5"}
        litellm.finish(logger.async_log_success_event(told, {}, now, now))
        litellm.finish(logger.async_log_failure_event({**told, "litellm_call_id": "j"}, None, now, now))
        kinds = sorted(event["event_type"] for event in self.outcomes(8))
        answered = ["litellm.acompletion.after"] * 2
        expected = ["langchain.chat.after", *answered, "litellm.acompletion.error", "llama_index.chat.after"]
        self.assertEqual(kinds, [*expected, *["openai.chat.after"] * 3])

    def test_failures_and_streams_that_are_left(self) -> None:
        for wrapped in (False, True):
            self.intake.events.clear()
            ask, endless = self.asking(wrapped, "limited"), self.client(wrapped, "endless")
            for use in (
                lambda ask=ask: litellm.completion(ask, "c"),
                lambda ask=ask: langchain_core.ChatModel(self.langchain, ask).invoke(),
                lambda ask=ask: llama_index.Model(self.llama, ask).chat("s6"),
            ):
                with self.assertRaises(Exception):
                    use()

            def begin(client: Any = endless) -> Any:
                return client.chat.completions.create(**chat, stream=True)

            for stream in (
                langchain_core.ChatModel(self.langchain, begin).stream(),
                llama_index.Model(self.llama, begin).stream("s7"),
            ):
                next(stream)
                stream.close()
            found = self.outcomes(5)
            self.assertEqual([event.get("status") for event in found].count(429), 3)
            left = [event for event in found if event.get("aborted")]
            self.assertEqual([event["event_type"].split(".")[-1] for event in left], ["after"] * 2)

    def test_litellm_says_whom_a_call_is_for_and_what_it_counts(self) -> None:
        metadata = {
            "feature": "chat",
            "requester_metadata": {"feature": "theirs", "run": "r1"},
            "user_id": "ann",
            "user_api_key_end_user_id": "acme",
            "user_api_key_user_id": "default_user_id",
            "tags": ["plan:pro", "beta", 7],
            "model_group": "gpt-5",
        }
        params = {"custom_llm_provider": "vertex_ai", "metadata": metadata}
        litellm.completion(self.asking(), "d", litellm_params=params, model="vertex_ai/gemini-2.5-flash")
        (after,) = self.outcomes(1)
        self.assertEqual(
            after["tags"],
            {"customer": "acme", "user": "ann", "feature": "chat", "run": "r1", "plan": "pro", "beta": "true"},
        )
        self.assertEqual((after["provider"], after["reported_cost"]), ("google-vertex", 0.25))
        # Not the alias that a proxy puts into its answers.
        self.assertEqual((after["model"], after["response"]["usage"]), ("gemini-2.5-flash", answers.chat_usage))
        self.assertEqual(after["elapsed_ms"], 1500)

    def test_litellm_s_own_id_names_what_has_no_other(self) -> None:
        ask = self.asking(manner="limited")
        with self.assertRaises(Exception):
            litellm.completion(ask, "f1")
        litellm.completion(lambda: {"data": [], "usage": answers.chat_usage}, "e1")
        litellm.completion(lambda: answers.chat_answer("gpt-5"), "c1")
        ids = {event["response"].get("id") for event in self.outcomes(3)}
        self.assertEqual(ids, {"f1", "e1", answers.chat_answer("gpt-5")["id"]})

    def test_an_answer_of_a_cache_costs_nothing(self) -> None:
        litellm.completion(lambda: answers.chat_answer("gpt-5"), "e", begins=0, ends=2, cache_hit=True)
        cached = {**answers.chat_answer("gpt-5"), "usage": None, "usage_metadata": {"input_tokens": 1, "total_cost": 0}}
        langchain_core.ChatModel(self.langchain, lambda: cached).invoke()
        for after in self.outcomes(2):
            self.assertTrue(after["gateway_cache"])
            self.assertNotIn("reported_cost", after)

    def test_langchain_s_chains_are_runs_and_its_metadata_says_whom_a_call_is_for(self) -> None:
        model = langchain_core.ChatModel(self.langchain, self.asking(), customer="acme", ls_provider="google_genai")
        self.langchain.on_chain_start({}, {}, run_id="r1", parent_run_id=None)
        self.langchain.on_tool_start({}, "", run_id="r2", parent_run_id="r1")
        model.invoke("r2")
        self.langchain.on_tool_end("", run_id="r2")
        with farthing.attribute(run="mine"):
            model.invoke("r1")
        self.langchain.on_chain_end({}, run_id="r1")
        model.invoke("r1")
        found = self.outcomes(3)
        self.assertEqual([event["tags"].get("run") for event in found], ["r1", "mine", None])
        self.assertEqual({(event["tags"]["customer"], event["provider"]) for event in found}, {("acme", "google")})

    def test_llama_index_counts_where_an_answer_has_none(self) -> None:
        llama_index.Model(self.llama, lambda: {"model": "m"}, class_name="Bedrock_Converse_LLM").chat("s8")
        (after,) = self.outcomes(1)
        self.assertEqual(after["response"]["usage"], {"prompt_tokens": 7, "completion_tokens": 3})
        self.assertEqual(after["provider"], "aws")

    def test_a_fault_of_the_package_never_reaches_the_framework(self) -> None:
        with unittest.mock.patch("farthing._expected.begin_call", side_effect=RuntimeError("broken")):
            litellm.completion(dict, "f")
            langchain_core.ChatModel(self.langchain, dict).invoke()
            llama_index.Model(self.llama, dict).chat("s9")
        self.assertEqual(self.told.codes, ["internal"])

    def test_the_proxy_s_logger_is_made_once_with_the_settings_of_the_environment(self) -> None:
        with unittest.mock.patch("farthing._default", self.farthing):
            litellm.callbacks = [farthing.litellm.logger]
        self.assertIs(litellm.callbacks[0], farthing.litellm.logger)
        litellm.completion(self.asking(), "g")
        self.outcomes(1)
        with self.assertRaises(AttributeError):
            farthing.litellm.other  # noqa: B018


if __name__ == "__main__":
    unittest.main()
