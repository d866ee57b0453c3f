"""OpenTelemetry's older instrumentation of OpenAI's client."""

from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

import calls
import reporting

reporting.opentelemetry()
OpenAIInstrumentor().instrument()
with reporting.attributed():
    calls.openai()
    calls.openai_responses()
    calls.openai_embeddings()
reporting.finish()
