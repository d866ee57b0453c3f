"""OpenTelemetry's instrumentation of LangChain, beside those of the clients."""

from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

import calls
import reporting

reporting.opentelemetry()
LangChainInstrumentor().instrument()
OpenAIInstrumentor().instrument()
with reporting.attributed():
    calls.langchain({})
reporting.finish()
