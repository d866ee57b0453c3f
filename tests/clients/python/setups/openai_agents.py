"""OpenAI's Agents, which ask for responses, by OpenInference's instrumentation."""

from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

import agents_of_openai
import reporting

OpenAIAgentsInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.attributed():
    agents_of_openai.run()
reporting.finish()
