"""Agno's agents by OpenInference's instrumentation."""

import calls
import reporting
from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.openai import OpenAIChat
from openinference.instrumentation.agno import AgnoInstrumentor

AgnoInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    for model in (OpenAIChat(id="gpt-4o"), Claude(id=calls.claude)):
        Agent(model=model, tools=[calls.look], telemetry=False).run(calls.secret)
reporting.finish()
