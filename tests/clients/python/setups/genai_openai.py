"""OpenTelemetry's instrumentation of OpenAI's client."""

import calls
import reporting
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

reporting.opentelemetry()
OpenAIInstrumentor().instrument()
with reporting.attributed():
    calls.openai()
    calls.openai_responses()
    calls.openai_embeddings()
reporting.finish()
