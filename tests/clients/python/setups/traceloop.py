"""Traceloop's SDK, with all its instrumentations."""

import calls
import reporting
from traceloop.sdk import Traceloop

Traceloop.init(app_name="app", api_endpoint=f"{reporting.url}/otlp", headers={}, telemetry_enabled=False)
Traceloop.set_association_properties({"customer": reporting.customer, "user_id": reporting.user})
calls.openai()
calls.anthropic()
calls.langchain({}, ["openai", "anthropic"])
reporting.finish()
