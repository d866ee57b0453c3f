"""OpenInference's instrumentation of LangChain and LangGraph, beside those of the clients."""

import calls
import reporting
from openinference.instrumentation.anthropic import AnthropicInstrumentor
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

spans = reporting.opentelemetry()
for instrumentor in (LangChainInstrumentor(), OpenAIInstrumentor(), AnthropicInstrumentor()):
    instrumentor.instrument(tracer_provider=spans)
calls.langchain({"metadata": reporting.who})
reporting.finish()
