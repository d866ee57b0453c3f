"""The client of the service that a host holds."""

from __future__ import annotations

import json
import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Type, TypeVar

from ._attribution import attribute, clip, current_tags, tags_of, text_of
from ._call import Call, Reporter, now
from ._event_id import make_event_id
from ._json import Json, to_plain
from ._problems import Problem, Problems
from ._queue import Limits, Queue

if TYPE_CHECKING:
    from ._guard import Guard

Client = TypeVar("Client")

_most_type = 200
_most_batch = 10_000


class Farthing:
    """Reports calls to models to Farthing. No method of it but `guard` raises, waits for the service, or changes what the host gets.

    `url`, `client_id` and `client_secret` are those of `FARTHING_URL`, `FARTHING_CLIENT_ID` and `FARTHING_CLIENT_SECRET` if
    they are not given; without them nothing is sent, and that is told once.

    - `api_key`: for `guard`, by default `FARTHING_API_KEY`.
    - `max_queued`, `max_queued_bytes`: what may wait to be sent. More is dropped and counted.
    - `max_batch`, `delay_ms`: the most events of a request, and how long one waits for others.
    - `timeout_ms`: how long a request to the service may take.
    - `on_problem`: is told of each problem once. By default it goes to the logger `farthing`, as a warning.
    """

    attribute = attribute

    def __init__(
        self,
        url: Optional[str] = None,
        client_id: Optional[str] = None,
        client_secret: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        max_queued: int = 10_000,
        max_queued_bytes: int = 1 << 25,
        max_batch: int = 1_000,
        delay_ms: float = 200,
        timeout_ms: float = 10_000,
        on_problem: Optional[Callable[[Problem], object]] = None,
    ) -> None:
        self._problems = Problems(on_problem)
        self._queue: Optional[Queue] = None
        self._watcher: Any = None
        self._guards: Any = None
        self._guarded_by = ((url or "").rstrip("/"), api_key or "")
        # For watching and for the handlers of frameworks.
        self.reporter = Reporter(self._send, self._problems)
        with self._problems:
            url = (url or os.environ.get("FARTHING_URL") or "").rstrip("/")
            client_id = client_id or os.environ.get("FARTHING_CLIENT_ID") or ""
            client_secret = client_secret or os.environ.get("FARTHING_CLIENT_SECRET") or ""
            fault = _fault_of(url, client_id, client_secret)
            if fault is not None:
                self._problems.tell("settings", f"nothing is sent: {fault}")
                return
            # Imported late, because the standard library's client of HTTP takes as long as all else.
            from ._sender import Sender

            sender = Sender(url, client_id, client_secret, timeout_ms / 1000)
            limits = Limits(max_queued, max_queued_bytes, max(1, min(max_batch, _most_batch)), delay_ms / 1000)
            self._queue = Queue(limits, sender.send, self._problems)

    @property
    def dropped(self) -> int:
        """How many events have been dropped, because the queue was full or the service refused them."""
        return self._problems.dropped

    @property
    def queued(self) -> int:
        """How many events wait to be sent."""
        return 0 if self._queue is None else len(self._queue)

    def wrap(self, client: Client, *, provider: Optional[str] = None) -> Client:
        """Makes a client report its calls, and returns the same client.

        It knows the clients of `openai` and `anthropic`, synchronous and asynchronous, also those for clouds, those of `boto3` for
        `bedrock-runtime`, and those of google-genai, mistralai and cohere; `farthing.litellm`, `farthing.langchain` and
        `farthing.llama_index` are for frameworks. `provider` names who answers if the client's address does not. Streamed
        chat completions of OpenAI are asked for their usage, which is taken out of the host's stream again.
        """
        with self._problems:
            # Imported late, because a host that wraps nothing does not need it.
            from . import _bedrock, _families, _google, _transport
            from ._requests import Watcher, family_of

            reporter, family = self.reporter, family_of(client)
            if _bedrock.is_runtime(client):
                _bedrock.watch(client, reporter, provider)
                return client
            if _google.is_client(client):
                _google.watch(client, reporter, provider)
                return client
            held = _families.client_of(client)
            if held is not None:
                _transport.watch(held, reporter, provider)
                return client
            if family is None:
                kind = type(client)
                self._problems.tell(
                    "unknown_client",
                    f"wrap() does not know {kind.__module__}.{kind.__qualname__}, so its calls are not reported: use call()",
                )
                return client
            if self._watcher is None:
                self._watcher = Watcher(reporter)
            self._watcher.watch(client, family, provider)
        return client

    def call(
        self,
        *,
        type: str = "call",  # noqa: A002 The event's own name.
        model: Optional[str] = None,
        provider: Optional[str] = None,
        customer: object = None,
        user: object = None,
        feature: object = None,
        run: object = None,
        tags: Optional[Mapping[str, object]] = None,
        **fields: object,
    ) -> Block:
        """Reports the block as one call. Give its answer to what `with` names: `with farthing.call(model=…) as report: report(answer)`.

        An answer is an object or a dictionary with the provider's `usage`, or each event of a stream. `fields` are further fields
        of the event, such as `service_tier`, `web_searches` or `audio_seconds`.
        """
        whom = {"customer": customer, "user": user, "feature": feature, "run": run, "tags": tags}

        def begin() -> Call:
            return Call(
                self._send,
                type=str(type),
                model=None if model is None else str(model),
                provider=None if provider is None else str(provider),
                tags=tags_of(whom, current_tags()),
                fields=fields,
            )

        return Block(begin, self._problems)

    def track(
        self,
        type: str,  # noqa: A002 The event's own name.
        *,
        customer: object = None,
        user: object = None,
        feature: object = None,
        run: object = None,
        tags: Optional[Mapping[str, object]] = None,
        **fields: object,
    ) -> None:
        """Sends an event of another type, such as one that a key metric counts."""
        with self._problems:
            whom = {"customer": customer, "user": user, "feature": feature, "run": run, "tags": tags}
            event = {"event_id": make_event_id(), "timestamp": now(), **fields}
            self._send({**event, "event_type": clip(str(type), _most_type), "tags": tags_of(whom, current_tags())})

    def guard(
        self,
        budget: str,
        *,
        of: object = None,
        on_exceeded: str = "raise",
        when_unknown: str = "allow",
    ) -> Guard:
        """Runs the block if a budget allows it, or raises `BudgetExceededError`: `with farthing.guard("Free plan", of="acme"): …`.

        Asks before, remembers the answer for a second, and adds the calls made meanwhile. `of` is the customer, user, feature or run of
        a budget for each. `on_exceeded="warn"` tells `on_problem` and runs the block. While nobody knows what is spent, the block is
        run, or with `when_unknown="deny"` refused.
        """
        from ._guard import Guard, Guards

        if self._guards is None:
            url, api_key = self._guarded_by
            address = url or (os.environ.get("FARTHING_URL") or "").rstrip("/")
            self._guards = Guards(
                address, api_key or os.environ.get("FARTHING_API_KEY") or "", self.flush, self._problems
            )
        return Guard(self._guards, budget, text_of(of), on_exceeded, when_unknown)

    def flush(self, within_ms: float = 10_000) -> bool:
        """Sends all waiting events; false if some still wait after this time. Blocks; in a coroutine use `asyncio.to_thread`."""
        with self._problems:
            return self._queue is None or self._queue.flush(within_ms / 1000)
        return False

    def close(self, within_ms: float = 10_000) -> bool:
        """Sends the waiting events, as `flush` does, then drops and counts the rest and takes no more."""
        is_sent = self.flush(within_ms)
        with self._problems:
            if self._queue is not None:
                self._queue.close()
        return is_sent

    def _send(self, event: Json) -> None:
        # Its text is made at once: the host may change its objects later.
        with self._problems:
            if self._queue is not None:
                self._queue.push(json.dumps(to_plain(event), separators=(",", ":"), allow_nan=False).encode())


class Block:
    """A block that is reported as one call."""

    def __init__(self, begin: Callable[[], Call], problems: Problems) -> None:
        self._begin, self._problems = begin, problems
        self._call: Optional[Call] = None

    def __enter__(self) -> Callable[[object], None]:
        with self._problems:
            self._call = self._begin()
        return self._report

    def __exit__(
        self, _kind: Optional[Type[BaseException]], error: Optional[BaseException], _trace: Optional[TracebackType]
    ) -> None:
        with self._problems:
            if self._call is not None and error is not None:
                self._call.fail(error)
            elif self._call is not None:
                self._call.end()

    def _report(self, answer: object) -> None:
        with self._problems:
            if self._call is not None:
                self._call.reading.take(answer)


def _fault_of(url: str, client_id: str, client_secret: str) -> Optional[str]:
    """What is wrong with the settings."""
    named = {"FARTHING_URL": url, "FARTHING_CLIENT_ID": client_id, "FARTHING_CLIENT_SECRET": client_secret}
    missing = [name for name, value in named.items() if not value]
    if missing:
        return f"{', '.join(missing)} missing"
    if not url.startswith(("http://", "https://")):
        return f"the url {url!r} does not begin with http:// or https://"
    if not (client_secret.isascii() and client_secret.isprintable()):
        return "the client secret has characters that no secret has"
    return None
