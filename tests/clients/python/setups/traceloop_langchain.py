"""Traceloop's SDK with LangChain and LangGraph, whose clients it watches too."""

from traceloop.sdk import Traceloop

import calls
import reporting

Traceloop.init(app_name="app", api_endpoint=f"{reporting.url}/otlp", headers={}, telemetry_enabled=False)
Traceloop.set_association_properties(reporting.who)
calls.langchain({})
reporting.finish()
