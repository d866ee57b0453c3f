"""Haystack by OpenInference's instrumentation."""

from haystack import Pipeline
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from openinference.instrumentation.haystack import HaystackInstrumentor

import calls
import reporting

HaystackInstrumentor().instrument(tracer_provider=reporting.opentelemetry())


def ask(prompt: str) -> None:
    pipeline = Pipeline()
    pipeline.add_component("llm", OpenAIChatGenerator(model="gpt-4o", max_retries=0))
    pipeline.run({"llm": {"messages": [ChatMessage.from_user(prompt)]}})


with reporting.openinference():
    ask(calls.secret)
    calls.refused(lambda: ask(f"FAIL {calls.secret}"))
reporting.finish()
