"""OpenInference's instrumentation of LangChain and LangGraph, beside those of the clients."""

from openinference.instrumentation.anthropic import AnthropicInstrumentor
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

import calls
import reporting

spans = reporting.opentelemetry()
for instrumentor in (LangChainInstrumentor(), OpenAIInstrumentor(), AnthropicInstrumentor()):
    instrumentor.instrument(tracer_provider=spans)
# Nothing joins the two spans of a stream that is left.
calls.langchain({"metadata": reporting.who}, leaves=False)
reporting.finish()
