"""OpenInference's instrumentation of Anthropic's client, beside the client's own spans."""

from openinference.instrumentation.anthropic import AnthropicInstrumentor

import calls
import reporting

AnthropicInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.anthropic()
reporting.finish()
