"""Watches clients of OpenAI and Anthropic where each of their requests passes: `request` of the client itself.

Parsed and raw answers, helpers, tool runners, `beta`, batches and everything else that the clients offer come by there, each once,
whatever number of attempts it takes. Only copies of a client have a `request` of their own, so these are watched as they are made.
"""

from __future__ import annotations

import copy
import functools
import inspect
import json
import re
from contextvars import ContextVar
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from ._attribution import Tags, current_tags
from ._call import Call, Reporter, now
from ._event_id import event_id_of
from ._expected import begin_call
from ._families import Family, families, find
from ._json import Json, at, fields_of, number_at, objects_at, text_at
from ._problems import Problems
from ._providers import provider_of
from ._reading import Reading
from ._streams import Lines, Tap, splitter_for

# Marks methods that are replaced, also for other copies of this package.
_mark = "__farthing__"
# The most background answers and jobs that are waited for; the oldest goes first.
_most_kept = 1_000

# Streams of these have usage only if `stream_options` asks for it.
_askable = ("openai.chat", "openai.completions")


# The call whose request a client makes.
_asked: ContextVar[Optional[Call]] = ContextVar("farthing_asked", default=None)


def family_of(client: object) -> Optional[str]:
    """The family of a client by the class that it inherits its requests from; None if it is of none."""
    for kind in type(client).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in ("openai", "anthropic") and kind.__name__ in ("SyncAPIClient", "AsyncAPIClient"):
            return name
    return None


class Request:
    """One request of a client: the arguments for it, and what is done with its answer."""

    def __init__(self, args: Tuple[Any, ...], kwargs: Dict[str, Any], answer: Callable[[Any], object]) -> None:
        self.args, self.kwargs, self.answer = args, kwargs, answer
        self.call: Optional[Call] = None
        # The answer, while the client parses what it says for the host.
        self.answered: object = None
        # Makes the request in another way if an error is the fault of the first way.
        self.again: Callable[[BaseException], bool] = lambda _error: False

    def fail(self, problems: Problems, error: BaseException) -> bool:
        """The client has raised an error. Answers whether it is to be asked again."""
        with problems:
            if self.again(error):
                return True
            if self.answered is not None:
                # It has been answered, and charged, whatever the host's own schema refuses. The error may repeat it.
                self.answer(self.answered)
            elif self.call is not None:
                self.call.fail(error)
        return False


class Watcher:
    """Watches the clients of one `Farthing`."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._send, self._problems = reporter
        # Calls whose answers OpenAI makes in the background, by the ids of the answers.
        self._unanswered: Dict[str, Call] = {}
        # Whom jobs are for that this process has begun.
        self._jobs: Dict[str, Tags] = {}

    def watch(self, client: Any, name: str, given_provider: Optional[str]) -> None:
        """Replaces what makes the client's requests and its copies. A method is replaced once, whoever wraps it."""
        original = client.request
        if hasattr(original, _mark):
            return
        family, problems = families[name], self._problems
        provider = given_provider or provider_of(client) or name
        refuses_options = [False]

        def begin(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[Request]:
            with problems:
                return self._begin(args, kwargs, name, family, provider, refuses_options)
            return None

        @functools.wraps(original)
        def request(*args: Any, **kwargs: Any) -> Any:
            begun = begin(args, kwargs)
            if begun is None:
                return original(*args, **kwargs)
            while True:
                token = _asked.set(begun.call)
                try:
                    answer = original(*begun.args, **begun.kwargs)
                    break
                except BaseException as error:
                    if not begun.fail(problems, error):
                        raise
                finally:
                    _asked.reset(token)
            with problems:
                begun.answer(answer)
            return answer

        @functools.wraps(original)
        async def async_request(*args: Any, **kwargs: Any) -> Any:
            begun = begin(args, kwargs)
            if begun is None:
                return await original(*args, **kwargs)
            while True:
                token = _asked.set(begun.call)
                try:
                    answer = await original(*begun.args, **begun.kwargs)
                    break
                except BaseException as error:
                    if not begun.fail(problems, error):
                        raise
                finally:
                    _asked.reset(token)
            with problems:
                begun.answer(answer)
            return answer

        client.request = async_request if inspect.iscoroutinefunction(original) else request
        setattr(client.request, _mark, True)
        self._watch_attempts(client)
        for method in ("copy", "with_options"):
            setattr(client, method, self._watch_copies(getattr(client, method), name, given_provider))

    def _watch_attempts(self, client: Any) -> None:
        """An instrumentation of the client's class has its own span around each request, inside what is watched."""
        if not callable(getattr(client, "_prepare_options", None)):
            return
        original: Any = client._prepare_options

        def note_span() -> None:
            with self._problems:
                call = _asked.get()
                if call is not None:
                    call.note_span()

        @functools.wraps(original)
        def prepare(options: Any) -> Any:
            note_span()
            return original(options)

        @functools.wraps(original)
        async def async_prepare(options: Any) -> Any:
            note_span()
            return await original(options)

        client._prepare_options = async_prepare if inspect.iscoroutinefunction(original) else prepare

    def _watch_copies(self, original: Callable[..., Any], name: str, provider: Optional[str]) -> Callable[..., Any]:
        @functools.wraps(original)
        def copied(*args: Any, **kwargs: Any) -> Any:
            client = original(*args, **kwargs)
            with self._problems:
                self.watch(client, name, provider)
            return client

        return copied

    def _begin(
        self,
        args: Tuple[Any, ...],
        kwargs: Dict[str, Any],
        name: str,
        family: Family,
        provider: str,
        refuses_options: list[bool],
    ) -> Optional[Request]:
        options = kwargs["options"] if "options" in kwargs else args[1]
        path = str(options.url).partition("?")[0]
        tags = current_tags()
        if options.method.lower() == "get":
            ends = find(path, family.ends_job)
            if ends:
                known = {**self._jobs.get(ends[1], {}), **tags}
                return Request(args, kwargs, lambda answer: self._end_job(answer, f"{name}.batch", provider, known))
            continues = find(path, family.continues)
            waiting = self._unanswered.get(continues[1]) if continues else None
            return Request(args, kwargs, lambda answer: self._continue(waiting, answer)) if waiting else None
        if options.method.lower() != "post":
            return None
        reported = find(path, tuple(family.reported))
        if reported:
            return self._report(
                args, kwargs, options, f"{name}.{family.reported[reported[0]]}", provider, refuses_options
            )
        if find(path, family.begins_job):
            return Request(args, kwargs, lambda job: self._keep(self._jobs, text_at(_body_of(job), "id"), tags))
        passed = find(path, family.passed)
        if passed:
            self._problems.tell("not_reported", f"requests of {passed[0]} are not reported", passed[0])
        return None

    def _report(
        self,
        args: Tuple[Any, ...],
        kwargs: Dict[str, Any],
        options: Any,
        kind: str,
        provider: str,
        refuses_options: list[bool],
    ) -> Request:
        body = fields_of(options.json_data)
        call = begin_call(
            self._reporter, type=kind, model=text_at(body, "model"), provider=provider, fields=_terms_of(body)
        )
        spoken = text_at(body, "input") if kind.endswith(".speech") else None
        asks = (
            kind in _askable
            and body.get("stream") is True
            and at(body, "stream_options").get("include_usage") is not True
            and not refuses_options[0]
        )
        request = Request(
            args, kwargs, lambda answer: self._answer(call, answer, spoken, asks and request.args is not args)
        )
        request.call = call
        parser = getattr(options, "post_parser", None)
        if callable(parser):

            def parse(answer: Any) -> Any:
                request.answered = answer
                return parser(answer)

            parsing = copy.copy(options)
            parsing.post_parser = parse
            request.args, request.kwargs = _with_options(args, kwargs, parsing)
        if not asks:
            return request

        asking = copy.copy(options)
        asking.json_data = {**body, "stream_options": {**at(body, "stream_options"), "include_usage": True}}
        request.args, request.kwargs = _with_options(args, kwargs, asking)

        def again(error: BaseException) -> bool:
            is_refusal = getattr(error, "status_code", None) in (400, 422)
            if not is_refusal or request.args is args or not re.search("stream_options|include_usage", str(error)):
                return False
            refuses_options[0] = True
            request.args, request.kwargs = args, kwargs
            return True

        request.again = again
        return request

    def _answer(self, call: Call, answer: Any, spoken: Optional[str], hides_usage: bool) -> None:
        # Spoken texts are charged by their length, which the answer does not repeat.
        call.reading.characters = None if spoken is None else len(spoken)
        response = _response_of(answer)
        if response is not None and not response.is_closed:
            splitter = splitter_for(response.headers.get("content-type", ""))
            Tap(self._problems, splitter, call.reading.take, call=call, hides_usage=hides_usage).watch(response)
            return
        with self._problems:
            call.reading.take(_body_of(answer))
        reading = call.reading
        if reading.id is not None and reading.status in ("queued", "in_progress"):
            self._keep(self._unanswered, reading.id, call)
        else:
            call.end()

    def _continue(self, call: Call, answer: Any) -> None:
        """The host polls for an answer that is made in the background until it is there."""
        body = _body_of(answer)
        if body is None or text_at(body, "status") in (None, "queued", "in_progress"):
            return
        self._unanswered.pop(text_at(body, "id") or "", None)
        call.reading.take(body)
        call.end()

    def _end_job(self, answer: Any, kind: str, provider: str, tags: Tags) -> None:
        """Reports a job that is done, or each of its answers. All have the id of the provider's, so asking again counts nothing twice."""

        def report(body: object) -> None:
            reading = Reading()
            reading.take(body)
            if reading.id is None or not reading.has_usage:
                return
            done_at = next(
                (
                    number_at(body, name)
                    for name in ("completed_at", "expired_at", "cancelled_at")
                    if number_at(body, name)
                ),
                None,
            )
            event = {
                "event_id": event_id_of(f"{kind} {reading.id}"),
                "event_type": f"{kind}.after",
                "timestamp": now(done_at),
                "model": reading.model,
                "provider": provider,
                "tags": tags,
                "service_tier": "batch",
                **reading.to_fields(),
            }
            self._send({name: value for name, value in event.items() if value is not None})

        def report_line(line: Json) -> None:
            report(at(at(line, "result"), "message"))

        lines = vars(answer).get("_raw_iterator")
        if lines is not None:
            tap = Tap(self._problems, Lines(), report_line)
            answer._raw_iterator = tap.aread(lines) if hasattr(lines, "__anext__") else tap.read(lines)
            return
        response = _response_of(answer)
        if response is not None and not response.is_closed:
            Tap(self._problems, splitter_for(response.headers.get("content-type", "")), report_line).watch(response)
            return
        body = _body_of(answer)
        if text_at(body, "status") in ("completed", "expired", "cancelled"):
            report(body)

    def _keep(self, kept: Dict[str, Any], key: Optional[str], value: object) -> None:
        if key is None:
            return
        if len(kept) >= _most_kept:
            kept.pop(next(iter(kept)), None)
        kept[key] = value


def _with_options(
    args: Tuple[Any, ...], kwargs: Dict[str, Any], options: Any
) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """The arguments of a request, with other options."""
    if "options" in kwargs:
        return (*args,), {**kwargs, "options": options}
    return (args[0], options, *args[2:]), kwargs


def _response_of(answer: object) -> Any:
    """The HTTP response of a raw answer, of a stream or of a file; None of a parsed answer."""
    try:
        held = vars(answer)
    except TypeError:
        return None
    for found in (held.get("http_response"), held.get("response"), answer):
        if hasattr(type(found), "iter_bytes") and hasattr(type(found), "is_stream_consumed"):
            return found
        if found is not None and "is_stream_consumed" in getattr(found, "__dict__", {}):
            return found
    return None


def _body_of(answer: object) -> Any:
    """What an answer says: a parsed one as it is, a raw one that has been read from its bytes."""
    response = _response_of(answer)
    if response is None:
        return answer
    if "json" not in response.headers.get("content-type", ""):
        return None
    return json.loads(response.content)


def _terms_of(body: Mapping[str, Any]) -> Json:
    """The fields of a request that its price depends on."""
    terms: Json = {}
    tier = text_at(body, "service_tier")
    if tier is not None and tier != "auto":
        terms["service_tier"] = tier
    for search in [at(body, "web_search_options"), *objects_at(body, "tools")]:
        size = text_at(search, "search_context_size")
        if size is not None:
            terms.setdefault("search_context_size", size)
    return terms
