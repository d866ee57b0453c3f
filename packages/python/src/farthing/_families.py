"""What becomes of the requests of each maker's clients."""

from __future__ import annotations

import functools
import re
from typing import Any, List, Mapping, NamedTuple, Optional, Pattern, Tuple


class Family(NamedTuple):
    """A client's requests by what becomes of them. A path is the end of the request's; `{}` stands for an id."""

    reported: Mapping[str, str]
    """POST: the type of the event, by the path. The first that fits counts."""
    passed: Tuple[str, ...]
    """POST: may cost money and is not reported, which is told once for each."""
    begins_job: Tuple[str, ...] = ()
    """POST: begins a batch, whose usage is told once it is done."""
    ends_job: Tuple[str, ...] = ()
    """GET: tells a batch's usage."""
    continues: Tuple[str, ...] = ()
    """GET: asks for an answer that is made in the background."""


families = {
    "openai": Family(
        reported={
            "/chat/completions": "chat",
            "/responses": "responses",
            "/responses/compact": "responses",
            "/embeddings": "embeddings",
            "/completions": "completions",
            "/images/generations": "images",
            "/images/edits": "images",
            "/images/variations": "images",
            "/audio/transcriptions": "transcriptions",
            "/audio/translations": "transcriptions",
            "/audio/speech": "speech",
            "/decisions": "decisions",
        },
        passed=(
            "/videos",
            "/videos/edits",
            "/videos/extensions",
            "/videos/{}/remix",
            "/fine_tuning/jobs",
            "/fine_tuning/alpha/graders/run",
            "/evals/{}/runs",
            "/vector_stores",
            "/vector_stores/{}/search",
            "/containers",
            "/live/sessions",
            "/realtime/client_secrets",
            "/realtime/calls",
            "/realtime/calls/{}/accept",
            "/realtime/translations/client_secrets",
            "/realtime/sessions",
            "/realtime/transcription_sessions",
            "/threads/runs",
            "/threads/{}/runs",
            "/agents/sessions",
            "/agents/sessions/{}/events",
            "/agents/automations/{}/invocations",
            "/chatkit/sessions",
        ),
        begins_job=("/batches",),
        ends_job=("/batches/{}",),
        continues=("/responses/{}",),
    ),
    "anthropic": Family(
        reported={"/v1/messages": "messages"},
        passed=("/v1/complete", "/v1/sessions", "/v1/sessions/{}/events", "/v1/deployments/{}/run", "/v1/dreams"),
        begins_job=("/v1/messages/batches",),
        ends_job=("/v1/messages/batches/{}/results",),
    ),
    "mistral": Family(
        reported={
            "/chat/completions": "chat",
            "/v1/responses": "responses",
            "/v1/embeddings": "embeddings",
            "/fim/completions": "fim",
            "/v1/agents/completions": "agents",
            "/v1/conversations": "conversations",
            "/v1/conversations/{}": "conversations",
            "/v1/conversations/{}/restart": "conversations",
            "/ocr": "ocr",
            "/v1/audio/transcriptions": "transcriptions",
            "/v1/audio/speech": "speech",
        },
        passed=(
            "/v1/batch/jobs",
            "/v1/moderations",
            "/v1/chat/moderations",
            "/v1/classifications",
            "/v1/chat/classifications",
            "/v1/client/sessions",
            "/v1/libraries/{}/documents",
            "/v1/observability/judges/{}/live-judging",
            "/v1/workflows/{}/execute",
        ),
    ),
    "cohere": Family(
        reported={
            "v1/chat": "chat",
            "v2/chat": "chat",
            "v1/generate": "generate",
            "v1/summarize": "summarize",
            "v1/embed": "embed",
            "v2/embed": "embed",
            "v1/rerank": "rerank",
            "v2/rerank": "rerank",
            "v1/classify": "classify",
            "v2/audio/transcriptions": "transcriptions",
        },
        passed=("v1/embed-jobs", "v1/finetuning/finetuned-models", "v2/batches", "v2/parse"),
    ),
}


class Client(NamedTuple):
    """What a client holds whose requests are watched where they pass."""

    name: str
    address: str
    https: List[Any]
    wholes: List[Any]
    """What makes the requests whose answers are not streamed, if that is not the HTTP client."""


def client_of(client: Any) -> Optional[Client]:
    """A client of mistralai or cohere, or a part of one; None of any other, and of those of cohere that sign for a cloud."""
    modules = [kind.__module__ for kind in type(client).__mro__]
    names = {module.partition(".")[0] for module in modules}
    if "mistralai" in names and hasattr(client, "sdk_configuration"):
        config = client.sdk_configuration
        return Client("mistral", config.get_server_details()[0], [config.client, config.async_client], [])
    if "cohere" in names and hasattr(client, "_client_wrapper") and not any("aws" in one for one in modules):
        fern = client._client_wrapper.httpx_client
        return Client("cohere", client._client_wrapper.get_base_url(), [fern.httpx_client], [fern])
    return None


@functools.cache
def _pattern(path: str) -> Pattern[str]:
    return re.compile(re.escape(path).replace(r"\{\}", "([^/]+)") + "$")


def find(path: str, places: Tuple[str, ...]) -> Optional[Tuple[str, str]]:
    """The first place that the path ends with, and the id in it."""
    for place in places:
        if path.endswith(place) and "{}" not in place:
            return place, ""
        found = _pattern(place).search(path) if "{}" in place else None
        if found:
            return place, found.group(1)
    return None
