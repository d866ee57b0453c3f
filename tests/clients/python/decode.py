"""Makes the JSON of OTLP, with hexadecimal ids, of the protobuf in the requests on the standard input."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def decode(route: str, body: Any) -> Any:
    if not isinstance(body, str):
        return body
    message = ExportTraceServiceRequest() if route.endswith("traces") else ExportLogsServiceRequest()
    message.ParseFromString(base64.b64decode(body))
    return with_hex(MessageToDict(message))


def with_hex(value: Any) -> Any:
    if isinstance(value, list):
        return [with_hex(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64decode(one).hex() if name in ("traceId", "spanId", "parentSpanId") else with_hex(one)
        for name, one in value.items()
    }


if __name__ == "__main__":
    posts = json.load(sys.stdin)
    json.dump([{"route": one["route"], "body": decode(one["route"], one["body"])} for one in posts], sys.stdout)
