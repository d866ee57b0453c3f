"""OpenInference's instrumentation of boto3's client of Bedrock."""

import calls
import reporting
from openinference.instrumentation.bedrock import BedrockInstrumentor

BedrockInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.bedrock()
reporting.finish()
