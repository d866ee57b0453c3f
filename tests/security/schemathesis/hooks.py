"""What Schemathesis can't read in the OpenAPI document: who may ask a route, and bodies that are not JSON."""

import json
import os

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def write_lines(_context, value):
    return value if isinstance(value, bytes) else "".join(f"{json.dumps(line)}\n" for line in _listed(value)).encode()


@schemathesis.serializer("application/x-protobuf")
def write_protobuf(_context, value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def _listed(value):
    return value if isinstance(value, list) else [value]


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """Sends the secret that the route takes, and half the time the id of a client that exists."""
    path = case.operation.path
    if path.startswith("/intake/"):
        token = os.environ["FARTHING_SECRET"]
        if len(str(case.path_parameters.get("client_id"))) % 2 == 0:
            case.path_parameters["client_id"] = os.environ["FARTHING_CLIENT"]
    else:
        token = os.environ["FARTHING_ADMIN_TOKEN" if path.startswith("/admin/") else "FARTHING_KEY"]
    case.headers["Authorization"] = f"Bearer {token}"
