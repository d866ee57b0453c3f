"""Haystack by OpenInference's instrumentation."""

import calls
import reporting
from haystack import Pipeline
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from openinference.instrumentation.haystack import HaystackInstrumentor

HaystackInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
pipeline = Pipeline()
pipeline.add_component("llm", OpenAIChatGenerator(model="gpt-4o"))
with reporting.openinference():
    pipeline.run({"llm": {"messages": [ChatMessage.from_user(calls.secret)]}})
reporting.finish()
