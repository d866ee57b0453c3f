"""OpenTelemetry's instrumentation of Anthropic's client, beside the client's own spans."""

from opentelemetry.instrumentation.genai.anthropic import AnthropicInstrumentor

import calls
import reporting

reporting.opentelemetry()
AnthropicInstrumentor().instrument()
with reporting.attributed():
    calls.anthropic()
reporting.finish()
