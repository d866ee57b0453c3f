"""A stand-in for clients of mistralai where it is not installed: their parts share one HTTP client."""

from __future__ import annotations

import asyncio
import http.client
import json
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from openai import Response


class Request:
    def __init__(self, method: str, url: str, content: bytes) -> None:
        self.method, self.url, self._content = method, Url(url), content


class Url:
    def __init__(self, text: str) -> None:
        self._text, self.path = text, urlsplit(text).path

    def __str__(self) -> str:
        return self._text


class Http:
    """As much of a client of `httpx` as the layers above use."""

    def send(self, request: Request, *, stream: bool = False) -> Response:
        address = urlsplit(str(request.url))
        connection = http.client.HTTPConnection(address.netloc)
        connection.request(request.method, address.path, request._content, {"Content-Type": "application/json"})
        response = Response(connection, connection.getresponse())
        if not stream:
            response.read()
        return response


class AsyncHttp:
    async def send(self, request: Request, *, stream: bool = False) -> Response:
        return await asyncio.to_thread(Http().send, request, stream=stream)


class Part:
    def __init__(self, configuration: Any) -> None:
        self.sdk_configuration = configuration

    def ask(self, path: str, stream: bool = False, **body: Any) -> Any:
        return self.sdk_configuration.client.send(self._request(path, stream, body), stream=stream)

    async def ask_async(self, path: str, stream: bool = False, **body: Any) -> Any:
        return await self.sdk_configuration.async_client.send(self._request(path, stream, body), stream=stream)

    def _request(self, path: str, stream: bool, body: Any) -> Request:
        url = self.sdk_configuration.get_server_details()[0] + path
        return Request("POST", url, json.dumps({**body, "stream": stream}).encode())


class Mistral(Part):
    def __init__(self, server_url: str) -> None:
        details = SimpleNamespace(client=Http(), async_client=AsyncHttp())
        super().__init__(details)
        details.get_server_details = lambda: (server_url, {})

    @property
    def chat(self) -> Part:
        return Part(self.sdk_configuration)
