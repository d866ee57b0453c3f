"""OpenTelemetry's instrumentation of Anthropic's client, beside the client's own spans."""

import calls
import reporting
from opentelemetry.instrumentation.genai.anthropic import AnthropicInstrumentor

reporting.opentelemetry()
AnthropicInstrumentor().instrument()
with reporting.attributed():
    calls.anthropic()
reporting.finish()
