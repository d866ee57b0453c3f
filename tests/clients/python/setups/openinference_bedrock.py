"""OpenInference's instrumentation of boto3's client of Bedrock."""

from openinference.instrumentation.bedrock import BedrockInstrumentor

import calls
import reporting

BedrockInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    calls.bedrock()
reporting.finish()
