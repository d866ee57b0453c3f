"""OpenInference's instrumentation of OpenAI's client."""

import calls
import reporting
from openinference.instrumentation.openai import OpenAIInstrumentor

OpenAIInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.openai()
    calls.openai_responses()
    calls.openai_embeddings()
reporting.finish()
