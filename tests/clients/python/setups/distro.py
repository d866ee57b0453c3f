"""The lines of the pages: OpenTelemetry's distribution with OpenLLMetry's instrumentation of OpenAI's client, by variables alone, and
whom calls are for by the baggage."""

from opentelemetry import baggage, context, trace
from opentelemetry.processor.baggage import BaggageSpanProcessor

import calls
import reporting

trace.get_tracer_provider().add_span_processor(BaggageSpanProcessor(lambda key: key.startswith("farthing.")))
context.attach(baggage.set_baggage("farthing.customer", reporting.customer))
context.attach(baggage.set_baggage("farthing.user", reporting.user))
calls.openai()
calls.openai_responses()
calls.openai_embeddings()
