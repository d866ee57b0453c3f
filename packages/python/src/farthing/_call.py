"""One call to a model."""

from __future__ import annotations

import re
import time
from datetime import datetime, timezone
from typing import Callable, Mapping, NamedTuple, Optional

from ._active_span import active_span, process
from ._attribution import Tags, clip
from ._event_id import make_event_id
from ._json import Json, fields_of, number_at, text_at
from ._problems import Problems
from ._reading import Reading

_most_message = 500
_most_type = 190


def now(at_s: Optional[float] = None) -> str:
    """The time, or that of so many seconds since 1970, in ISO 8601."""
    at = datetime.now(timezone.utc) if at_s is None else datetime.fromtimestamp(at_s, timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Reporter(NamedTuple):
    """The part of `Farthing` that watching needs."""

    send: Callable[[Json], None]
    problems: Problems


class Call:
    """An event before the call, and exactly one after it."""

    def __init__(
        self,
        send: Callable[[Json], None],
        *,
        type: str,  # noqa: A002 The event's own name.
        tags: Tags,
        model: Optional[str] = None,
        provider: Optional[str] = None,
        fields: Optional[Mapping[str, object]] = None,
    ) -> None:
        self.reading = Reading()
        self.tags = tags
        self.has_ended = False
        self._send_event = send
        self.model = model
        self._type, self._provider, self._fields = type, provider, fields or {}
        self._event_id = make_event_id()
        self._within = active_span()
        self._started_at = time.perf_counter()
        self._send("before", {})

    def go_on(self, model: Optional[str], provider: Optional[str], fields: Mapping[str, object]) -> None:
        """Another part of the package knows more of the call."""
        self.model, self._provider = model or self.model, provider or self._provider
        self._fields = {**self._fields, **fields}
        self.note_span()

    def note_span(self) -> None:
        """An instrumentation of the client has a span of its own, which may have begun by now."""
        self._within = active_span() or self._within

    def end(self, aborted: bool = False) -> None:
        """The call has been answered; `aborted` if its answer was not read to the end."""
        failure = self.reading.failure
        if failure is not None:
            self._finish("error", describe(failure, aborted))
        else:
            self._finish("after", {"aborted": True} if aborted else {})

    def fail(self, error: object, aborted: bool = False) -> None:
        """The call has failed, or its stream was left; what it has used so far counts."""
        if isinstance(error, GeneratorExit):
            self.end(aborted=True)
        else:
            self._finish("error", describe(error, aborted))

    def _finish(self, phase: str, fields: Json) -> None:
        if self.has_ended:
            return
        self.has_ended = True
        elapsed = self._fields.get("elapsed_ms", round((time.perf_counter() - self._started_at) * 1000, 3))
        read = self.reading.to_fields(aborted=fields.get("aborted") is True)
        # By it the service knows the reports of others of the same request.
        known = {"process": process(), **(self._within or {})}
        within = {name: value for name, value in known.items() if value}
        origin = {**within, "span": self._event_id} if within else None
        unknown = {"usage_not_reported": True} if self._tells_nothing(phase, fields) else {}
        self._send(phase, {"elapsed_ms": elapsed, "origin": origin, **read, **unknown, **fields})

    def _tells_nothing(self, phase: str, fields: Json) -> bool:
        """Whether it was answered by a provider and nothing says what it used."""
        is_whole = phase == "after" and "aborted" not in fields
        return is_whole and not self.reading.tells and "gateway_cache" not in self._fields

    def _send(self, phase: str, fields: Json) -> None:
        event = {
            **self._fields,
            "event_id": self._event_id,
            "event_type": f"{clip(self._type, _most_type)}.{phase}",
            "timestamp": now(),
            "model": clip(self.reading.model or self.model or "") or None,
            "provider": clip(self._provider or "") or None,
            "tags": self.tags,
            **fields,
        }
        self._send_event({name: value for name, value in event.items() if value is not None})


def describe(error: object, aborted: bool) -> Json:
    """The type and message of an error. Messages are cut, because some repeat the request."""
    if isinstance(error, BaseException):
        kind: Optional[str] = error.__class__.__name__
        message, status = str(error), getattr(error, "status_code", getattr(error, "code", None))
        # Cancelled tasks, closed generators and Ctrl+C are no exceptions of the ordinary kind.
        aborted = aborted or not isinstance(error, Exception)
    else:
        kind = text_at(error, "code") or text_at(error, "type") or text_at(error, "status")
        status = number_at(error, "status") or number_at(error, "code")
        message = str(fields_of(error).get("message", error))
    return {
        "error_type": kind,
        "error_message": clip(message, _most_message),
        "status": status if isinstance(status, int) else None,
        "aborted": aborted or re.search("abort", kind or "", re.IGNORECASE) is not None or None,
    }
