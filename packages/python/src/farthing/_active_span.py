"""The place of a call within a span of OpenTelemetry."""

from __future__ import annotations

import sys
from typing import Dict, Optional


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
