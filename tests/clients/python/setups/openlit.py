"""OpenLIT's instrumentations."""

import openlit

import calls
import reporting

openlit.init(otlp_endpoint=f"{reporting.url}/otlp", disable_metrics=True)
with reporting.attributed():
    calls.openai()
    calls.openai_responses()
    calls.openai_embeddings()
    calls.anthropic()
reporting.finish()
