"""OpenLIT's instrumentations with LangChain and LangGraph, streamed and asynchronous, whose clients it watches too."""

import openlit

import calls
import reporting

openlit.init(otlp_endpoint=f"{reporting.url}/otlp", disable_metrics=True)
with reporting.attributed():
    calls.langchain_streams({}, ["openai", "responses"])
reporting.finish()
