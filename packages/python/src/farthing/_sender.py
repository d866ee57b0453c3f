"""Sends events to the service."""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING, NamedTuple, Optional, Sequence

if TYPE_CHECKING:
    import urllib.request

from ._json import fields_of

_longest_wait_s = 3600.0
_most_answer_bytes = 1 << 20


class Outcome(NamedTuple):
    """What became of a request with events.

    - `stored`: the events are on disk, except those that the service found invalid.
    - `too_large`: the request was refused as a whole, and none of it is stored.
    - `later`: the same events must be sent again, after this time if the service named one.
    """

    kind: str
    reason: str = ""
    refused: int = 0
    after_s: Optional[float] = None


class Sender:
    """Posts events to the intake as one NDJSON request. Never raises."""

    def __init__(self, url: str, client_id: str, client_secret: str, timeout_s: float) -> None:
        # Imported here, before the thread that sends begins: a child that is forked during an import never gets its lock.
        import urllib.error
        import urllib.parse
        import urllib.request

        # For names of hosts, which the thread would import otherwise.
        codecs.lookup("idna")
        self._request, self._refusal = urllib.request.Request, urllib.error.HTTPError
        self._address = f"{url}/intake/{urllib.parse.quote(client_id, safe='')}/"
        self._headers = {
            "Authorization": f"Bearer {client_secret}",
            "Content-Type": "application/x-ndjson",
            "User-Agent": "farthing-python",
        }
        self._timeout_s = timeout_s

        self._opener = make_opener()

    def send(self, events: Sequence[bytes], within_s: Optional[float] = None) -> Outcome:
        request = self._request(self._address, b"\n".join(events), self._headers)
        timeout_s = self._timeout_s if within_s is None else max(0.001, min(self._timeout_s, within_s))
        try:
            try:
                with self._opener.open(request, timeout=timeout_s) as answer:
                    return _read(
                        answer.status, answer.read(_most_answer_bytes), answer.headers.get("Retry-After"), len(events)
                    )
            except self._refusal as error:
                with error:
                    return _read(
                        error.code, error.read(_most_answer_bytes), error.headers.get("Retry-After"), len(events)
                    )
        except Exception as error:
            return Outcome("later", f"{error.__class__.__name__}: {error}")


def make_opener() -> urllib.request.OpenerDirector:
    """What opens requests to the service."""
    # Imported late, because the standard library's client of HTTP takes as long as all else.
    import urllib.request

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        # A redirect turns the request into a GET, whose answer says nothing about the events.
        def redirect_request(self, *_args: object, **_kwargs: object) -> None:
            return None

    # Only the environment names a proxy: asking macOS for one crashes a forked process.
    proxies = urllib.request.ProxyHandler(urllib.request.getproxies_environment())  # type: ignore[attr-defined, unused-ignore]
    return urllib.request.build_opener(NoRedirect, proxies)


def _read(status: int, body: bytes, retry_after: Optional[str], sent: int) -> Outcome:
    try:
        answer = fields_of(json.loads(body))
    except ValueError:
        answer = {}
    if status == 200 and answer.get("ok") is True:
        return Outcome("stored")
    detail, accepted = answer.get("detail"), answer.get("accepted")
    reason = f"it answered {status}{f': {detail}' if isinstance(detail, str) else ''}"
    if status == 400 and isinstance(accepted, int):
        return Outcome("stored", reason, refused=sent - accepted)
    if status in (400, 413):
        return Outcome("too_large", reason)
    return Outcome("later", reason, after_s=read_retry_after(retry_after))


def read_retry_after(text: Optional[str]) -> Optional[float]:
    """Seconds or a date, in seconds from now; None if it is neither."""
    if not text:
        return None
    import time
    from email.utils import parsedate_to_datetime

    try:
        wait_s = float(text) if text.isdigit() else parsedate_to_datetime(text).timestamp() - time.time()
    except (TypeError, ValueError):
        return None
    return max(0.0, min(wait_s, _longest_wait_s))
