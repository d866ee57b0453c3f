"""OpenInference's instrumentation of google-genai."""

from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor

import calls
import reporting

GoogleGenAIInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.gemini()
reporting.finish()
