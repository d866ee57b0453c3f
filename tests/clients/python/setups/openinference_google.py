"""OpenInference's instrumentation of google-genai."""

import calls
import reporting
from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor

GoogleGenAIInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.gemini()
reporting.finish()
