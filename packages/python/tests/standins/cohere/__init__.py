"""A stand-in for clients of cohere where it is not installed: whole requests are repeated above the HTTP client."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from mistralai import Http, Request


class HttpClient:
    def __init__(self, base_url: str) -> None:
        self._base_url, self.httpx_client = base_url, Http()

    def request(self, path: str, *, method: str, json: Any, retries: int = 0) -> Any:
        response = self.httpx_client.send(self._made(path, method, json))
        if response.status_code == 429 and retries < 2:
            return self.request(path=path, method=method, json=json, retries=retries + 1)
        return response

    def stream(self, path: str, *, method: str, json: Any) -> Any:
        return self.httpx_client.send(request=self._made(path, method, json), stream=True)  # type: ignore[call-arg]

    def _made(self, path: str, method: str, body: Any) -> Request:
        return Request(method, f"{self._base_url}/{path}", json.dumps(body).encode())


class ClientV2:
    def __init__(self, base_url: str) -> None:
        self._client_wrapper = SimpleNamespace(httpx_client=HttpClient(base_url), get_base_url=lambda: base_url)
