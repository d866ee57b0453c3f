"""The place of a call within a span of OpenTelemetry."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Dict, Optional, Tuple

_known: Tuple[object, str] = (None, "")


def process() -> str:
    """What the service calls the process whose spans OpenTelemetry exports, as it calls it by their resource; empty without one.

    By it the service knows reports of one request that are in no common span.
    """
    global _known  # noqa: PLW0603 One resource is that of all calls.
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return ""
    try:
        attributes = trace.get_tracer_provider().resource.attributes
        if _known[0] is not attributes:
            _known = (attributes, _hash(attributes))
        return _known[1]
    except Exception:
        return ""


def _hash(attributes: object) -> str:
    pairs = dict(attributes)  # type: ignore[call-overload]
    if not pairs or not all(isinstance(value, str) for value in pairs.values()):
        # Of other values it is not known how they are written.
        return ""
    written = [_write({"key": key, "value": {"stringValue": value}}) for key, value in pairs.items()]
    return hashlib.sha256(_write(sorted(written)).encode()).hexdigest()[:16]


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def active_span() -> Optional[Dict[str, str]]:
    """The span within which this runs; None without one, or where the host has no OpenTelemetry."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    try:
        context = trace.get_current_span().get_span_context()
        if not context.is_valid:
            return None
        return {"trace": f"{context.trace_id:032x}", "parent": f"{context.span_id:016x}"}
    except Exception:
        return None
