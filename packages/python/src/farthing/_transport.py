"""Watches clients of mistralai and cohere where their requests pass: `send` of the HTTP client that all parts of one share.

The parts of a client are made when they are first used, so nothing of them can be replaced before. A host's own HTTP client stays,
and what else passes there is not looked at. Cohere repeats a request above its HTTP client, so whole answers are taken there.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
from typing import Any, Callable, Dict, Optional, Tuple

from ._call import Call, Reporter
from ._expected import begin_call
from ._families import Client, families, find
from ._json import at, text_at
from ._providers import provider_of_address
from ._streams import Tap, splitter_for

_mark = "__farthing__"
# The field of a request that names the model. The answers of most requests name it too.
_model = re.compile(rb'"model"\s*:\s*"([^"\\]+)"')

Begin = Callable[[Tuple[Any, ...], Dict[str, Any]], Optional[Call]]


def watch(client: Client, reporter: Reporter, given_provider: Optional[str]) -> None:
    """Replaces what sends the client's requests. A method is replaced once, whoever wraps it."""
    name, address = client.name, client.address.rstrip("/")
    provider = given_provider or provider_of_address(address) or name
    problems, family = reporter.problems, families[name]

    def begin(method: str, path: str, model: Optional[str]) -> Optional[Call]:
        if method.upper() != "POST":
            return None
        reported = find(path, tuple(family.reported))
        if reported:
            kind = f"{name}.{family.reported[reported[0]]}"
            return begin_call(reporter, type=kind, model=model, provider=provider)
        passed = find(path, family.passed)
        if passed:
            problems.tell("not_reported", f"requests of {passed[0]} are not reported", passed[0])
        return None

    def begin_sent(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[Call]:
        request = args[0] if args else kwargs["request"]
        is_whole = not kwargs.get("stream")
        if not str(request.url).startswith(address) or (is_whole and client.wholes):
            return None
        # A body that is a stream has not been read.
        body = vars(request).get("_content") or b""
        found = _model.search(body)
        call = begin(request.method, request.url.path, found.group(1).decode() if found else None)
        if call is not None and request.url.path.endswith("/speech"):
            # Spoken texts are charged by their length.
            call.reading.characters = len(text_at(json.loads(body), "input") or "") or None
        return call

    def begin_whole(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[Call]:
        if kwargs.get("retries"):
            return None
        path = args[0] if args else kwargs.get("path")
        return begin(str(kwargs.get("method")), f"/{path}", text_at(kwargs.get("json"), "model"))

    for http in client.https:
        _watch(http, "send", begin_sent, reporter)
    for whole in client.wholes:
        _watch(whole, "request", begin_whole, reporter)


def _watch(holder: Any, method: str, begin: Begin, reporter: Reporter) -> None:
    original, problems = getattr(holder, method, None), reporter.problems
    if original is None or hasattr(original, _mark):
        return

    def begun(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[Call]:
        with problems:
            return begin(args, kwargs)
        return None

    def fail(call: Optional[Call], error: BaseException) -> None:
        with problems:
            if call is not None:
                call.fail(error)

    def answered(call: Optional[Call], response: Any) -> None:
        with problems:
            if call is not None:
                _answer(call, response, reporter)

    @functools.wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:
        call = begun(args, kwargs)
        try:
            response = original(*args, **kwargs)
        except BaseException as error:
            fail(call, error)
            raise
        answered(call, response)
        return response

    @functools.wraps(original)
    async def async_watched(*args: Any, **kwargs: Any) -> Any:
        call = begun(args, kwargs)
        try:
            response = await original(*args, **kwargs)
        except BaseException as error:
            fail(call, error)
            raise
        answered(call, response)
        return response

    replaced = async_watched if inspect.iscoroutinefunction(original) else watched
    setattr(replaced, _mark, True)
    setattr(holder, method, replaced)


def _answer(call: Call, response: Any, reporter: Reporter) -> None:
    status, splitter = response.status_code, splitter_for(response.headers.get("content-type", ""))
    if not response.is_closed and status < 400:
        Tap(reporter.problems, splitter, call.reading.take, call=call).watch(response)
        return
    pieces = [*splitter.feed(response.content), *splitter.end()] if response.is_closed else []
    said = [piece.said for piece in pieces if piece.said is not None]
    if status < 400:
        for one in said:
            call.reading.take(one)
        call.end()
        return
    body = at(said[0], "error") or said[0] if said else {}
    kind = text_at(body, "code") or text_at(body, "type") or response.reason_phrase
    call.fail({"type": kind, "message": body.get("message") or body.get("detail") or kind, "status": status})
