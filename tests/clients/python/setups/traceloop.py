"""Traceloop's SDK, with all its instrumentations."""

from traceloop.sdk import Traceloop

import calls
import reporting

Traceloop.init(app_name="app", api_endpoint=f"{reporting.url}/otlp", headers={}, telemetry_enabled=False)
Traceloop.set_association_properties(reporting.who)
calls.openai()
calls.openai_responses()
calls.openai_embeddings()
calls.anthropic()
calls.anthropic_beta()
reporting.finish()
