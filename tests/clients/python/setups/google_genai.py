"""OpenTelemetry's instrumentation of google-genai, up to its version 2."""

from opentelemetry.instrumentation.google_genai import GoogleGenAiSdkInstrumentor

import calls
import reporting

reporting.opentelemetry()
GoogleGenAiSdkInstrumentor().instrument()
with reporting.attributed():
    calls.gemini()
reporting.finish()
