"""A stand-in for a client of `botocore` where it is not installed: its events, and its answers over what is read of `urllib3`."""

from __future__ import annotations

import http.client
import json
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional
from urllib.parse import urlsplit

_paths = {
    "Converse": "converse",
    "ConverseStream": "converse-stream",
    "InvokeModel": "invoke",
    "InvokeModelWithResponseStream": "invoke-with-response-stream",
}


class ClientError(Exception):
    pass


class Emitter:
    def __init__(self) -> None:
        self._handlers: Dict[str, List[Callable[..., Any]]] = {}

    def register(self, name: str, handler: Callable[..., Any]) -> None:
        self._handlers.setdefault(name, []).append(handler)

    def register_first(self, name: str, handler: Callable[..., Any]) -> None:
        self._handlers.setdefault(name, []).insert(0, handler)

    def emit(self, name: str, **kwargs: Any) -> None:
        for handler in self._handlers.get(f"{name}.bedrock-runtime", ()):
            handler(event_name=name, **kwargs)


class Raw:
    """As much of a response of `urllib3` as is read."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self._answer = answer

    def read(self, amt: Optional[int] = None) -> bytes:
        return self._answer.read(amt)

    def stream(self) -> Iterator[bytes]:
        while True:
            chunk = self._answer.read1(65536)
            if not chunk:
                return
            yield chunk

    def close(self) -> None:
        self._answer.close()


class StreamingBody:
    def __init__(self, raw: Raw) -> None:
        self._raw = raw

    def read(self, amt: Optional[int] = None) -> bytes:
        return self._raw.read(amt)


class EventStream:
    def __init__(self, raw: Raw) -> None:
        self._raw = raw

    def __iter__(self) -> Iterator[bytes]:
        return self._raw.stream()

    def close(self) -> None:
        self._raw.close()


class BaseClient:
    def __init__(self, endpoint_url: str, service_name: str = "bedrock-runtime") -> None:
        self._url = urlsplit(endpoint_url)
        self.meta = SimpleNamespace(events=Emitter(), service_model=SimpleNamespace(service_name=service_name))

    def call(self, operation: str, **params: Any) -> Any:
        events, context, model = self.meta.events, {}, SimpleNamespace(name=operation)
        events.emit("before-parameter-build", params=params, model=model, context=context)
        events.emit("before-call", model=model, params={}, request_signer=None, context=context)
        try:
            answer = self._send(f"{self._url.path}/model/{params['modelId']}/{_paths[operation]}")
        except Exception as error:
            events.emit("after-call-error", exception=error, context=context)
            raise
        raw, is_refused = Raw(answer), answer.status >= 300
        headers = {name.lower(): value for name, value in answer.getheaders()}
        http_response = SimpleNamespace(status_code=answer.status, headers=headers, raw=raw)
        if is_refused:
            parsed: Any = {"Error": {"Code": headers.get("x-amzn-errortype"), "Message": "refused"}}
        elif operation == "Converse":
            parsed = json.loads(raw.read())
        else:
            name = "stream" if operation == "ConverseStream" else "body"
            parsed = {name: StreamingBody(raw) if operation == "InvokeModel" else EventStream(raw)}
        events.emit("after-call", http_response=http_response, parsed=parsed, model=model, context=context)
        if is_refused:
            raise ClientError("refused")
        return parsed

    def _send(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(str(self._url.hostname), self._url.port or 80, timeout=10)
        connection.request("POST", path, b"{}", {"Content-Type": "application/json"})
        return connection.getresponse()
