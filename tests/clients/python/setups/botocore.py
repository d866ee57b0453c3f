"""OpenTelemetry's instrumentation of botocore, for Bedrock."""

from opentelemetry.instrumentation.botocore import BotocoreInstrumentor

import calls
import reporting

reporting.opentelemetry()
BotocoreInstrumentor().instrument()
with reporting.attributed():
    calls.bedrock()
reporting.finish()
