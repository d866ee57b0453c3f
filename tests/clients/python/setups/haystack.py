"""Haystack by OpenInference's instrumentation."""

from openinference.instrumentation.haystack import HaystackInstrumentor

import haystack_pipelines
import reporting

HaystackInstrumentor().instrument(tracer_provider=reporting.opentelemetry())
with reporting.openinference():
    haystack_pipelines.run()
reporting.finish()
