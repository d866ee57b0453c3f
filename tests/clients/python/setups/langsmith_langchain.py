"""LangSmith over OpenTelemetry: LangChain and LangGraph, which report to it by themselves."""

from langsmith.run_trees import get_cached_client

import calls
import reporting

reporting.opentelemetry()
calls.langchain({"metadata": reporting.who})
get_cached_client().flush()
reporting.finish()
