"""OpenTelemetry's older instrumentation of OpenAI's client."""

import calls
import reporting
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

reporting.opentelemetry()
OpenAIInstrumentor().instrument()
with reporting.attributed():
    calls.openai()
    calls.openai_embeddings()
reporting.finish()
