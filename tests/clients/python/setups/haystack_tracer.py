"""Haystack's own tracer, which has usage in what components answer: with their content alone."""

from haystack import tracing
from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

import haystack_pipelines
import reporting

tracing.enable_tracing(OpenTelemetryTracer(reporting.opentelemetry().get_tracer("app")))
with reporting.attributed():
    haystack_pipelines.run()
reporting.finish()
