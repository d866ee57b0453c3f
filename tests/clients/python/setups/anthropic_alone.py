"""The spans that Anthropic's client makes by itself where OpenTelemetry is set up."""

import calls
import reporting

reporting.opentelemetry()
with reporting.attributed():
    calls.anthropic()
reporting.finish()
