"""OpenTelemetry's instrumentation of OpenAI's Agents, which has no spans of models, beside that of the client."""

from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor

import agents_of_openai
import reporting

reporting.opentelemetry()
OpenAIAgentsInstrumentor().instrument()
OpenAIInstrumentor().instrument()
with reporting.attributed():
    agents_of_openai.run()
reporting.finish()
