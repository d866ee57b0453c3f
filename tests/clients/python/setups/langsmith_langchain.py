"""LangSmith over OpenTelemetry: LangChain and LangGraph, which report to it by themselves."""

from langsmith.run_trees import get_cached_client

import calls
import reporting

reporting.opentelemetry()
# Nothing joins the span of a stream of Anthropic's that is left to that of the client itself.
calls.langchain({"metadata": reporting.who}, leaves=False)
get_cached_client().flush()
reporting.finish()
