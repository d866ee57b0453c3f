"""OpenInference's instrumentation of Anthropic's client, beside the client's own spans."""

import calls
import reporting
from openinference.instrumentation.anthropic import AnthropicInstrumentor

AnthropicInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.anthropic()
reporting.finish()
