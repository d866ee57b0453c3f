"""OpenInference's instrumentation of LangChain and LangGraph, beside those of the clients."""

from openinference.instrumentation.anthropic import AnthropicInstrumentor
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

import calls
import reporting

spans = reporting.opentelemetry()
for instrumentor in (LangChainInstrumentor(), OpenAIInstrumentor(), AnthropicInstrumentor()):
    instrumentor.instrument(tracer_provider=spans)
calls.langchain({"metadata": reporting.who})
reporting.finish()
