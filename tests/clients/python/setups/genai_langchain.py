"""OpenTelemetry's instrumentation of LangChain, beside those of the clients."""

import calls
import reporting
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

reporting.opentelemetry()
LangChainInstrumentor().instrument()
OpenAIInstrumentor().instrument()
with reporting.attributed():
    calls.langchain({})
reporting.finish()
