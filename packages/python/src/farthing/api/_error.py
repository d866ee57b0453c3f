"""What the service refuses."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional


class Fault(NamedTuple):
    """One fault of a request, and where it is."""

    pointer: str
    code: str
    message: str


class FarthingError(Exception):
    """A question that the service refused, with the fields of `application/problem+json`."""

    def __init__(self, status: int, problem: Any) -> None:
        fields = problem if isinstance(problem, dict) else {}
        detail = fields.get("detail")
        super().__init__(detail if isinstance(detail, str) else f"the service answered {status}")
        self.status = status
        #: The service's own code, such as `invalid_body` or `catching_up`.
        self.code: str = str(fields.get("code", "unknown"))
        request_id = fields.get("request_id")
        self.request_id: Optional[str] = request_id if isinstance(request_id, str) else None
        errors = fields.get("errors")
        self.errors: List[Fault] = [
            Fault(str(one.get("pointer", "")), str(one.get("code", "")), str(one.get("message", "")))
            for one in (errors if isinstance(errors, list) else [])
            if isinstance(one, dict)
        ]
