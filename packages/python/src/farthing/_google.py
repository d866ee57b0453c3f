"""Watches clients of google-genai where each of their requests passes: the four methods of the API client that all their parts share.

Functions that the client calls by itself, chats, and the synchronous and asynchronous parts come by there, each request once, after
all attempts. Interactions and live sessions go by another way.
"""

from __future__ import annotations

import functools
import json
import re
import weakref
from typing import Any, AsyncIterator, Callable, Iterator, Mapping, Optional, Sequence

from ._call import Call, Reporter
from ._expected import begin_call
from ._json import Json, at, fields_of, number_at, objects_at
from ._problems import Problems

_mark = "__farthing__"
_action = re.compile(r"([^/:]+):(\w+)(?:\?.*)?$")
_kinds = {
    "generateContent": "generate_content",
    "streamGenerateContent": "generate_content",
    "embedContent": "embed_content",
    "batchEmbedContents": "embed_content",
}
_passed = re.compile(
    r":(?:predict|predictLongRunning|batchGenerateContent|asyncBatchEmbedContent|importFile|uploadToFileSearchStore)\b"
    r"|(?:^|/)(?:cachedContents|tuningJobs|tunedModels|batchPredictionJobs)(?:$|\?)"
)


def is_client(client: object) -> bool:
    """Whether it is a `Client` of google-genai, or the asynchronous part of one."""
    is_google = any(kind.__module__.startswith("google.genai") for kind in type(client).__mro__)
    return is_google and hasattr(getattr(client, "_api_client", None), "request_streamed")


def watch(client: Any, reporter: Reporter, given_provider: Optional[str]) -> None:
    """Replaces what makes the requests of the client and of its asynchronous part. A method is replaced once, whoever wraps it."""
    api = client._api_client
    if hasattr(api.request, _mark):
        return
    provider = given_provider or ("google-vertex" if getattr(api, "vertexai", None) else "google")
    problems = reporter.problems

    def begin(args: Sequence[Any], kwargs: Mapping[str, Any]) -> _Watched:
        call = None
        with problems:
            named = dict(zip(("http_method", "path"), args), **kwargs)
            call = _begin(reporter, str(named["http_method"]), str(named["path"]), provider)
        return _Watched(call, problems)

    _watch_whole(api, begin)
    _watch_streamed(api, begin)
    setattr(api.request, _mark, True)


class _Watched:
    """A request of the client, reported or not. As a context manager, it ends the call with what its block raises."""

    def __init__(self, call: Optional[Call], problems: Problems) -> None:
        self._call, self._problems = call, problems

    def __enter__(self) -> _Watched:
        return self

    def __exit__(self, _kind: object, error: Optional[BaseException], _trace: object) -> None:
        with self._problems:
            if self._call is not None and error is not None and not isinstance(error, GeneratorExit):
                self._call.fail(error)
            elif error is not None:
                self.leave()

    def take(self, answer: Any) -> None:
        with self._problems:
            if self._call is not None:
                _take(self._call, answer)

    def end(self) -> None:
        with self._problems:
            if self._call is not None:
                self._call.end()

    def leave(self) -> None:
        """The host reads no more of a stream."""
        with self._problems:
            if self._call is not None:
                self._call.end(aborted=not self._call.reading.is_done)


Begin = Callable[[Sequence[Any], Mapping[str, Any]], _Watched]


def _watch_whole(api: Any, begin: Begin) -> None:
    whole, async_whole = api.request, api.async_request

    @functools.wraps(whole)
    def request(*args: Any, **kwargs: Any) -> Any:
        with begin(args, kwargs) as watched:
            answer = whole(*args, **kwargs)
            watched.take(answer)
            watched.end()
            return answer

    @functools.wraps(async_whole)
    async def async_request(*args: Any, **kwargs: Any) -> Any:
        with begin(args, kwargs) as watched:
            answer = await async_whole(*args, **kwargs)
            watched.take(answer)
            watched.end()
            return answer

    api.request, api.async_request = request, async_request


def _watch_streamed(api: Any, begin: Begin) -> None:
    streamed, async_streamed = api.request_streamed, api.async_request_streamed

    @functools.wraps(streamed)
    def request_streamed(*args: Any, **kwargs: Any) -> Iterator[Any]:
        with begin(args, kwargs) as watched:
            for answer in streamed(*args, **kwargs):
                watched.take(answer)
                yield answer
            watched.end()

    async def pass_on(answers: AsyncIterator[Any], watched: _Watched) -> AsyncIterator[Any]:
        with watched:
            async for answer in answers:
                watched.take(answer)
                yield answer
            watched.end()

    @functools.wraps(async_streamed)
    async def async_request_streamed(*args: Any, **kwargs: Any) -> Any:
        with begin(args, kwargs) as watched:
            given = pass_on(await async_streamed(*args, **kwargs), watched)
            # One that is never read runs nothing of itself when it goes.
            weakref.finalize(given, watched.leave).atexit = False
            return given

    api.request_streamed, api.async_request_streamed = request_streamed, async_request_streamed


def _begin(reporter: Reporter, method: str, path: str, provider: str) -> Optional[Call]:
    if method.lower() != "post":
        return None
    found = _action.search(path)
    model, action = found.groups() if found else ("", "")
    kind = _kinds.get(action)
    if action == "predict" and model.startswith("imagen"):
        # Of Vertex, whose other models of images answer alike.
        kind = "images"
    if action == "predict" and "embedding" in model:
        kind = "embed_content"
    if kind is None:
        passed = _passed.search(path)
        if passed:
            name = passed.group().strip(":/?")
            reporter.problems.tell("not_reported", f"requests of {name} are not reported", name)
        return None
    return begin_call(reporter, type=f"google.{kind}", model=model, provider=provider)


def _take(call: Call, answer: Any) -> None:
    text = getattr(answer, "body", answer)
    body: Json = json.loads(text) if isinstance(text, str) and text else dict(fields_of(text))
    # Embeddings of Vertex are counted one by one.
    counts = [
        number_at(at(at(one, "embeddings"), "statistics"), "token_count") for one in objects_at(body, "predictions")
    ]
    if any(count is not None for count in counts):
        body["usageMetadata"] = {"promptTokenCount": int(sum(count or 0 for count in counts))}
    call.reading.take(body)
