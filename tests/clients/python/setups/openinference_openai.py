"""OpenInference's instrumentation of OpenAI's client."""

from openinference.instrumentation.openai import OpenAIInstrumentor

import calls
import reporting

OpenAIInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.openai()
    calls.openai_responses()
    calls.openai_embeddings()
reporting.finish()
