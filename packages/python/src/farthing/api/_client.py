"""Asks the service, with the standard library alone."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import date, datetime
from decimal import Decimal
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Generic,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
    Union,
)

from .._sender import read_retry_after
from ._error import FarthingError
from ._frames import to_columns, to_pandas, to_polars
from ._reading import reader_of

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]
    import polars  # pyright: ignore[reportMissingImports]

#: With `relaxed`, an answer does not wait for the events of the last second.
Consistency = Literal["strict", "relaxed"]

#: A day of the project's timezone.
Day = Union[str, date]
#: An instant; a `datetime` must have a timezone.
Time = Union[str, datetime]
Number = Union[Decimal, int, float]

#: Stands for an argument that is not given. None is sent, as null.
UNSET: Any = type("Unset", (), {"__repr__": lambda _self: "UNSET", "__bool__": lambda _self: False})()

Row = TypeVar("Row")
Answer = TypeVar("Answer")

_default_pause_s = 1.0


class Pages(Generic[Row, Answer]):
    """The answer to a question that has pages. Iterated, it is the rows of all pages; each iteration asks anew."""

    def __init__(self, ask: Callable[[Optional[str]], Any], answer: Any, group_by: object) -> None:
        self._ask = ask
        self._answer = answer
        self._group_by = group_by

    def pages(self) -> Iterator[Answer]:
        """One page after the other."""
        cursor: Optional[str] = None
        while True:
            page = self._ask(cursor)
            yield page
            cursor = page["next_cursor"]
            if not page["has_more"]:
                return

    def first(self) -> Answer:
        """The first page."""
        return next(self.pages())

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages():
            rows: Any = page
            yield from rows["rows"]

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a frame of pandas, which must be installed.

        Money is `float64`, days and times are `datetime64` (times in UTC), and an empty name stays an empty text. A field
        within another has its path as its name, such as `tokens.input`. Without rows the columns are there all the same.
        """
        return to_pandas(to_columns(list(self), self._answer, self._group_by))

    def to_polars(self) -> polars.DataFrame:
        """All rows as a frame of polars, which must be installed; the columns are those of `to_pandas`."""
        return to_polars(to_columns(list(self), self._answer, self._group_by))


class Client:
    """Asks the routes of one project.

    - `url`: the address of the service; by default `FARTHING_URL`.
    - `api_key`: an API key of the project; by default `FARTHING_API_KEY`.
    - `retries`: how often a question is asked again after a 429 or a 503.
    - `timeout_s`: how long an answer may take.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        retries: int = 3,
        timeout_s: float = 60.0,
    ) -> None:
        url = url or os.environ.get("FARTHING_URL")
        api_key = api_key or os.environ.get("FARTHING_API_KEY")
        if not url or not api_key:
            raise TypeError("url and api_key are needed (FARTHING_URL, FARTHING_API_KEY)")
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {api_key}", "User-Agent": "farthing-python"}
        self._retries = retries
        self._timeout_s = timeout_s

        class NoRedirect(urllib.request.HTTPRedirectHandler):
            # The key is for the service alone, and a POST would become a GET.
            def redirect_request(self, *_args: object, **_kwargs: object) -> None:
                return None

        self._opener = urllib.request.build_opener(NoRedirect)

    def _pages(
        self,
        question: Tuple[str, str],
        answer: Any,
        body: Optional[Mapping[str, Any]],
        query: Mapping[str, Any],
        consistency: Optional[Consistency],
    ) -> Pages[Any, Any]:
        def ask(cursor: Optional[str]) -> Any:
            more = {} if cursor is None else {"cursor": cursor}
            if body is None:
                return self._ask(question, answer, None, {**query, **more}, consistency)
            return self._ask(question, answer, {**body, **more}, query, consistency)

        return Pages(ask, answer, (body or query).get("group_by"))

    def _ask(
        self,
        question: Tuple[str, str],
        answer: Any,
        body: Any,
        query: Mapping[str, Any],
        consistency: Optional[Consistency],
    ) -> Any:
        method, path = question
        given = {name: _query_text(value) for name, value in query.items() if value is not UNSET and value is not None}
        address = f"{self._url}{path}{'?' if given else ''}{urllib.parse.urlencode(given)}"
        headers = dict(self._headers)
        if consistency is not None:
            headers["Farthing-Consistency"] = consistency
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(_plain(body), ensure_ascii=False, allow_nan=False).encode()
        text = self._send(urllib.request.Request(address, data, headers, method=method))  # noqa: S310 The service's own address.
        if not text:
            return None
        found = json.loads(text, parse_float=Decimal)
        read = None if answer is None else reader_of(answer)
        return found if read is None else read(found)

    def _send(self, request: urllib.request.Request) -> bytes:
        attempt = 0
        while True:
            try:
                with self._opener.open(request, timeout=self._timeout_s) as answer:
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                with error:
                    status, text, after = error.code, error.read(), error.headers.get("Retry-After")
            if status not in (429, 503) or attempt >= self._retries:
                raise FarthingError(status, _json_or_none(text))
            attempt += 1
            wait_s = read_retry_after(after)
            time.sleep(_default_pause_s if wait_s is None else wait_s)


def step(value: str) -> str:
    """A name as one step of a path."""
    return urllib.parse.quote(value, safe="")


def _json_or_none(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        # As from a proxy.
        return None


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(_plain(value))


def _plain(value: Any) -> Any:
    """What JSON can hold, without the fields that are not given."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no timezone")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        number = float(value)
        # Routes that take exact amounts take them as text too.
        return number if Decimal(repr(number)) == value else str(value)
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items() if one is not UNSET}
    if isinstance(value, (list, tuple, set, frozenset)):
        plain: List[Any] = [_plain(one) for one in value]
        return plain
    return value
