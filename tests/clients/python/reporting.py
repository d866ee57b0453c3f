"""How an application's set-up begins and ends: OpenTelemetry's own packages, and who a call is for."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

url = os.environ["PROVIDER"]
customer, user, feature = "acme", "ann", "chat"
#: As metadata of a call.
who = {"customer": customer, "user_id": user, "feature": feature}


def opentelemetry() -> Any:
    """Exports spans and log records to the service, as the variables say."""
    from opentelemetry import trace
    from opentelemetry._logs import set_logger_provider
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    spans, logs = TracerProvider(), LoggerProvider()
    spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    trace.set_tracer_provider(spans)
    set_logger_provider(logs)
    return spans


def package() -> Any:
    """The package of this repository, which reports too."""
    sys.path.append(str(Path(__file__).resolve().parents[3] / "packages" / "python" / "src"))
    import farthing

    return farthing


@contextmanager
def attributed() -> Iterator[None]:
    """The span of a request of the application, which says who it is for."""
    from opentelemetry import trace

    attributes = {"farthing.customer": customer, "farthing.user": user, "farthing.feature": feature}
    with trace.get_tracer("app").start_as_current_span("handle", attributes=attributes):
        yield


@contextmanager
def openinference() -> Iterator[None]:
    """What OpenInference itself has for it."""
    from openinference.instrumentation import using_attributes

    with using_attributes(user_id=user, metadata={"customer": customer, "feature": feature}):
        yield


def finish() -> None:
    """Sends what waits."""
    from opentelemetry import trace
    from opentelemetry._logs import get_logger_provider

    for provider in (trace.get_tracer_provider(), get_logger_provider()):
        flush = getattr(provider, "force_flush", None)
        if flush is not None:
            flush()
