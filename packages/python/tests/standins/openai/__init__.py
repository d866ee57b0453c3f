"""A stand-in for `openai` where it is not installed: as much of it as tests and pages use, made in the same layers.

`create` calls the client's `post`, which calls its `request`, which sends, repeats, and answers with an object, a raw
answer or a `Stream` over the response's bytes. The tests in `tests/real` ask the same of the real one.
"""

from __future__ import annotations

import asyncio
import functools
import http.client
import json
import os
import warnings
from typing import Any, AsyncIterator, ClassVar, Dict, Iterator, List, Optional
from urllib.parse import urlsplit


class APIError(Exception):
    pass


class APIConnectionError(APIError):
    pass


class APIStatusError(APIError):
    def __init__(self, status_code: int, message: str) -> None:
        super().__init__(f"Error code: {status_code} - {message}")
        self.status_code = status_code


class RateLimitError(APIStatusError):
    pass


class BadRequestError(APIStatusError):
    pass


class Model:
    """A part of an answer, by its names."""

    # As a class of Pydantic has.
    model_fields: ClassVar[Dict[str, object]] = {}

    def __init__(self, fields: Dict[str, Any]) -> None:
        self.__dict__.update({name: build(value) for name, value in fields.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Model({vars(self)})"


def build(value: Any) -> Any:
    if isinstance(value, dict):
        return Model(value)
    return [build(item) for item in value] if isinstance(value, list) else value


class Response:
    """As much of a response of `httpx` as the layers above use."""

    def __init__(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        self._connection, self._answer = connection, answer
        self.status_code, self.reason_phrase = answer.status, answer.reason
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self.is_closed = False
        self.is_stream_consumed = False

    def iter_bytes(self, chunk_size: Optional[int] = None) -> Iterator[bytes]:
        if hasattr(self, "_content"):
            yield self._content
            return
        self.is_stream_consumed = True
        while True:
            try:
                chunk = self._answer.read1(chunk_size or 65536)
            except (OSError, http.client.HTTPException) as error:
                raise APIConnectionError("Connection error.") from error
            if not chunk:
                break
            yield chunk
        self.close()

    async def aiter_bytes(self, chunk_size: Optional[int] = None) -> AsyncIterator[bytes]:
        chunks = Response.iter_bytes(self, chunk_size)
        while True:
            chunk = await asyncio.to_thread(next, chunks, None)
            if chunk is None:
                break
            yield chunk

    def read(self) -> bytes:
        if not hasattr(self, "_content"):
            self._content = b"".join(self.iter_bytes())
        return self._content

    @property
    def content(self) -> bytes:
        return self._content

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._answer.close()
            self._connection.close()

    async def aclose(self) -> None:
        Response.close(self)


def events_of(lines: Iterator[bytes]) -> Iterator[Any]:
    for line in lines:
        if line.startswith(b"data: {"):
            data = json.loads(line[6:])
            if data.get("error"):
                raise APIError(data["error"]["message"])
            yield build(data)


class Stream:
    def __init__(self, response: Response) -> None:
        self.response = response
        self._iterator = self.__stream__()

    def __next__(self) -> Any:
        return next(self._iterator)

    def __iter__(self) -> Iterator[Any]:
        # As the real one: leaving this loop ends nothing of what is beneath it, which `yield from` would.
        for item in self._iterator:  # noqa: UP028
            yield item

    def __stream__(self) -> Iterator[Any]:
        rest = b""
        for chunk in self.response.iter_bytes():
            *lines, rest = (rest + chunk).split(b"\n")
            yield from events_of(iter(lines))
        self.response.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self.response.close()


class AsyncStream:
    def __init__(self, response: Response) -> None:
        self.response = response
        self._iterator = self.__stream__()

    async def __anext__(self) -> Any:
        return await self._iterator.__anext__()

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for item in self._iterator:
            yield item

    async def __stream__(self) -> AsyncIterator[Any]:
        rest = b""
        async for chunk in self.response.aiter_bytes():
            *lines, rest = (rest + chunk).split(b"\n")
            for event in events_of(iter(lines)):
                yield event
        await self.response.aclose()

    async def close(self) -> None:
        await self.response.aclose()


class LegacyAPIResponse:
    def __init__(self, response: Response, stream_cls: Any) -> None:
        self.http_response, self._stream_cls = response, stream_cls

    def parse(self) -> Any:
        return (
            self._stream_cls(self.http_response) if self._stream_cls else build(json.loads(self.http_response.content))
        )


class Omit:
    """Stands for a field that is left out."""


class Options:
    """A request before it is sent."""

    def __init__(self, method: str, url: str, json_data: Any, headers: Dict[str, str]) -> None:
        self.method, self.url, self.json_data, self.headers = method, url, json_data, headers
        self.post_parser: Any = None


class BaseClient:
    def __init__(self, api_key: Optional[str] = None, base_url: Optional[str] = None, max_retries: int = 2) -> None:
        self.api_key = api_key or os.environ["OPENAI_API_KEY"]
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        self.max_retries = max_retries
        self.chat = Chat(self)

    def copy(self, **options: Any) -> Any:
        return type(self)(
            **{"api_key": self.api_key, "base_url": self.base_url, "max_retries": self.max_retries, **options}
        )

    with_options = copy

    def _send(self, options: Options) -> Response:
        for attempt in range(self.max_retries + 1):
            address = urlsplit(str(self.base_url) + options.url)
            connection = http.client.HTTPConnection(address.netloc)
            said = {name: one for name, one in (options.json_data or {}).items() if not isinstance(one, Omit)}
            body = None if options.json_data is None else json.dumps(said).encode()
            connection.request(
                options.method.upper(), address.path, body, {"Content-Type": "application/json", **options.headers}
            )
            response = Response(connection, connection.getresponse())
            if response.status_code < 400:
                return response
            text = response.read().decode()
            if response.status_code != 429 or attempt == self.max_retries:
                kind = {400: BadRequestError, 429: RateLimitError}.get(response.status_code, APIStatusError)
                raise kind(response.status_code, text)
        raise AssertionError("unreachable")

    def _process(self, response: Response, options: Options, stream_cls: Any) -> Any:
        if stream_cls is None:
            response.read()
        if options.headers:
            return LegacyAPIResponse(response, stream_cls)
        if stream_cls:
            return stream_cls(response)
        answer = build(json.loads(response.content))
        return options.post_parser(answer) if options.post_parser else answer

    def post(
        self, path: str, body: Any, *, headers: Dict[str, str], stream: bool, stream_cls: Any, post_parser: Any = None
    ) -> Any:
        options = Options("post", path, body, headers)
        options.post_parser = post_parser
        return self.request(object, options, stream=stream, stream_cls=stream_cls)  # type: ignore[attr-defined]

    def get(self, path: str) -> Any:
        return self.request(object, Options("get", path, None, {}), stream=False, stream_cls=None)  # type: ignore[attr-defined]


class SyncAPIClient(BaseClient):
    stream_cls: Any = Stream

    def _prepare_options(self, options: Options) -> Options:
        return options

    def request(self, cast_to: Any, options: Options, *, stream: bool = False, stream_cls: Any = None) -> Any:
        return self._process(self._send(self._prepare_options(options)), options, stream_cls if stream else None)


class AsyncAPIClient(BaseClient):
    stream_cls: Any = AsyncStream

    async def _prepare_options(self, options: Options) -> Options:
        return options

    async def request(self, cast_to: Any, options: Options, *, stream: bool = False, stream_cls: Any = None) -> Any:
        response = await asyncio.to_thread(self._send, await self._prepare_options(options))
        return await asyncio.to_thread(self._process, response, options, stream_cls if stream else None)


class OpenAI(SyncAPIClient):
    pass


class AsyncOpenAI(AsyncAPIClient):
    pass


class Completions:
    def __init__(self, client: Any, headers: Dict[str, str]) -> None:
        self._post, self._stream_cls, self._headers = client.post, client.stream_cls, headers

    def create(self, *, messages: List[Any], model: str, stream: bool = False, **more: Any) -> Any:
        if model == "old":
            warnings.warn("old is deprecated", DeprecationWarning, stacklevel=2)
        body = {"messages": messages, "model": model, **({"stream": True} if stream else {}), **more}
        return self._post("/chat/completions", body, headers=self._headers, stream=stream, stream_cls=self._stream_cls)

    def parse(self, *, response_format: Any, **asked: Any) -> Any:
        parser = functools.partial(_parsed, response_format)
        return self._post(
            "/chat/completions", asked, headers=self._headers, stream=False, stream_cls=None, post_parser=parser
        )


def _parsed(response_format: Any, answer: Any) -> Any:
    return response_format(answer.choices[0].message.content)


class Chat:
    def __init__(self, client: Any) -> None:
        self.completions = Completions(client, {})
        self.completions.with_raw_response = Completions(client, {"X-Stainless-Raw-Response": "true"})  # type: ignore[attr-defined]
