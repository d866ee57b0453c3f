"""A stand-in for a client of google-genai where it is not installed: the four methods by which all its parts ask."""

from __future__ import annotations

import http.client
import json
from types import SimpleNamespace
from typing import Any, AsyncIterator, Iterator, List
from urllib.parse import urlsplit


class APIError(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"{code} refused")
        self.code = code


class BaseApiClient:
    def __init__(self, base_url: str, vertexai: bool = False) -> None:
        self._url, self.vertexai = urlsplit(base_url), vertexai

    def request(self, http_method: str, path: str, request_dict: Any, http_options: Any = None) -> Any:
        return SimpleNamespace(headers={}, body=self._send(http_method, path))

    def request_streamed(
        self, http_method: str, path: str, request_dict: Any, http_options: Any = None
    ) -> Iterator[Any]:
        yield from self._parts(self._send(http_method, path))

    async def async_request(self, http_method: str, path: str, request_dict: Any, http_options: Any = None) -> Any:
        return SimpleNamespace(headers={}, body=self._send(http_method, path))

    async def async_request_streamed(
        self, http_method: str, path: str, request_dict: Any, http_options: Any = None
    ) -> AsyncIterator[Any]:
        parts = self._parts(self._send(http_method, path))

        async def generate() -> AsyncIterator[Any]:
            for part in parts:
                yield part

        return generate()

    def _parts(self, body: str) -> List[Any]:
        lines = [line[6:] for line in body.splitlines() if line.startswith("data: ")]
        for line in lines:
            error = json.loads(line).get("error")
            if error:
                raise APIError(error["code"])
        return [SimpleNamespace(headers={}, body=line) for line in lines]

    def _send(self, method: str, path: str) -> str:
        connection = http.client.HTTPConnection(str(self._url.hostname), self._url.port or 80, timeout=10)
        connection.request(method.upper(), f"{self._url.path}/v1beta/{path}", b"{}")
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        if answer.status >= 300:
            raise APIError(answer.status)
        return body


class Client:
    def __init__(self, base_url: str, vertexai: bool = False) -> None:
        self._api_client = BaseApiClient(base_url, vertexai)
