"""Strands' agents with their own spans."""

import calls
import reporting
from strands import Agent, tool
from strands.models.anthropic import AnthropicModel
from strands.models.openai import OpenAIModel

reporting.opentelemetry()
with reporting.attributed():
    for model in (
        OpenAIModel(model_id="gpt-4o"),
        AnthropicModel(model_id=calls.claude, max_tokens=500),
    ):
        Agent(model=model, tools=[tool(calls.look)], callback_handler=None)(calls.secret)
reporting.finish()
