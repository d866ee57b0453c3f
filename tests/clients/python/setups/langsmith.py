"""LangSmith over OpenTelemetry: its wrapped clients of OpenAI and Anthropic."""

from langsmith.run_trees import get_cached_client
from langsmith.wrappers import wrap_anthropic, wrap_openai

import calls
import reporting

reporting.opentelemetry()
with reporting.attributed():
    calls.openai(wrap=wrap_openai)
    calls.openai_responses(wrap=wrap_openai)
    calls.openai_embeddings(wrap=wrap_openai)
    # Its wrapper fails at the end of `create(stream=True)` of Anthropic's client 2.
    calls.anthropic(wrap=wrap_anthropic, raw=False)
get_cached_client().flush()
reporting.finish()
