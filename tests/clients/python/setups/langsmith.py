"""LangSmith over OpenTelemetry: its wrapped client of OpenAI, and LangChain."""

import calls
import reporting
from langsmith.run_trees import get_cached_client
from langsmith.wrappers import wrap_anthropic, wrap_openai

reporting.opentelemetry()
with reporting.attributed():
    calls.openai(wrap=wrap_openai)
    calls.anthropic(wrap=wrap_anthropic, helper=False)
    calls.langchain({"metadata": reporting.who}, ["openai", "anthropic"])
get_cached_client().flush()
reporting.finish()
