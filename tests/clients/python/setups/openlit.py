"""OpenLIT's instrumentations."""

import calls
import reporting

import openlit

openlit.init(otlp_endpoint=f"{reporting.url}/otlp", disable_metrics=True, application_name="app")
with reporting.attributed():
    calls.openai()
    calls.anthropic()
reporting.finish()
