"""A provider of models and a service of Farthing on this machine."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import threading
import time
import unittest
import zlib
from base64 import b64encode
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(os.path.dirname(here), "src")
# What is installed, if anything is: the tests of what was built run where the sources are not.
sys.path[:0] = [source, here] if os.path.isdir(source) else [here]

import answers
from answers import Json

from farthing import Farthing, Problem


class Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A body that is sent after its head would wait for the client's acknowledgement of the head.
    disable_nagle_algorithm = True

    def log_message(self, *_args: object) -> None:
        return None

    def handle(self) -> None:
        # The client may have gone, as some tests have it do.
        with suppress(ConnectionError):
            super().handle()

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def reply(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        raise NotImplementedError


class Server:
    """A server of HTTP on a free port."""

    def __init__(self, handler: type) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Intake(Server):
    """A stand-in for the service: it keeps what is posted, and answers as a test wants.

    Each of `outcomes` answers one request, and the last one all further ones: a status, a body, and headers. With the status 0, or
    the header `cut`, it ends without an answer.
    """

    def __init__(self, *outcomes: Tuple[int, Json, Dict[str, str]]) -> None:
        self.events: List[Json] = []
        self.requests: List[int] = []
        self.headers: List[Dict[str, str]] = []
        self.outcomes = list(outcomes) or [(200, {"ok": True}, {})]
        self.pause_s = 0.0
        outer = self

        class Handler(Quiet):
            def do_POST(self) -> None:
                lines = self.body().split(b"\n")
                status, body, headers = outer.outcomes[min(len(outer.requests), len(outer.outcomes) - 1)]
                outer.requests.append(len(lines))
                outer.headers.append(
                    {"path": self.path, **{name.lower(): value for name, value in self.headers.items()}}
                )
                time.sleep(outer.pause_s)
                if status == 200:
                    outer.events += [json.loads(line) for line in lines]
                if status == 0 or "cut" in headers:
                    # It is killed before it answers.
                    self.close_connection = True
                    return
                self.reply(status, json.dumps(body).encode(), **headers)

        super().__init__(Handler)

    def of(self, phase: str) -> List[Json]:
        """The events of a phase: `before`, `after` or `error`."""
        return [event for event in self.events if str(event["event_type"]).endswith(f".{phase}")]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Told(List[Problem]):
    """The problems that were told."""

    @property
    def codes(self) -> List[str]:
        return [problem.code for problem in self]


def reporting(intake: Intake, **options: Any) -> Tuple[Farthing, Told]:
    """A `Farthing` that posts to a stand-in, and the problems that it tells."""
    told = Told()
    settings = {"url": intake.url, "client_id": "c", "client_secret": "s", "delay_ms": 0, "on_problem": told.append}
    # A stand-in that a busy machine starves is not away.
    return Farthing(**{**settings, "timeout_ms": 60_000, **options}), told


def eventually(what: Callable[[], Any], within_s: float = 20.0) -> Any:
    """What a function answers once that is true."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        found = what()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("it never came to be")


def refusal(code: str, message: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": code, "code": code, "message": message}}).encode()


def amazon_message(event: Json, kind: str = "chunk", message: str = "event") -> bytes:
    """An event in a message of Amazon's event streams."""
    headers = b""
    for name, value in (
        (f":{message}-type".encode(), kind.encode()),
        (b":content-type", b"application/json"),
        (b":message-type", message.encode()),
    ):
        headers += struct.pack("!B", len(name)) + name + b"\x07" + struct.pack("!H", len(value)) + value
    wrapped = {"bytes": b64encode(json.dumps(event).encode()).decode()} if kind == "chunk" else event
    payload = json.dumps(wrapped).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    head = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return head + struct.pack("!I", zlib.crc32(head))


class Provider(Server):
    """Answers the requests of the providers' own clients as the providers do. The first step of a path is its manner:

    - `ok`: answers.
    - `limited`: refuses with a 429; `busy` does so for the first request.
    - `cut`: breaks the connection after the second event of a stream.
    - `endless`: sends the first two events of a stream, and nothing more.
    - `failing`: sends the first two events of a stream, and then that it has failed.
    - `plain`: does not know `stream_options`, and refuses them.
    - `slow`: answers after half a second.
    """

    def __init__(self) -> None:
        self.bodies: List[Json] = []
        self.abandoned = 0
        self._asked = 0
        self._stopped = threading.Event()
        outer = self

        class Handler(Quiet):
            def do_POST(self) -> None:
                outer.answer(self)

        super().__init__(Handler)

    def close(self) -> None:
        self._stopped.set()
        super().close()

    def at(self, family: str, manner: str = "ok") -> str:
        """The address for a client of a family."""
        return f"{self.url}/{manner}/{family}{'/v1' if family == 'openai' else ''}"

    def answer(self, http: Quiet) -> None:
        raw = http.body()
        body: Json = json.loads(raw) if raw.startswith(b"{") else {}
        self.bodies.append(body)
        _, manner, family, path = http.path.partition("?")[0].split("/", 3)
        if manner == "limited" or (manner == "busy" and len(self.bodies) == 1):
            http.reply(
                429,
                refusal("rate_limit_exceeded", "Slow down."),
                retry_after_ms="1",
                x_amzn_errortype="ThrottlingException",
            )
        elif manner == "plain" and "stream_options" in body:
            http.reply(400, refusal("unknown_parameter", "Unrecognized request argument: stream_options"))
        else:
            if manner == "slow":
                time.sleep(0.5)
            self._reply(http, manner, path, body, family)

    def _reply(self, http: Quiet, manner: str, path: str, body: Json, family: str) -> None:
        model = str(body.get("model"))
        if path == "v1/chat" and body.get("stream"):
            lines = [json.dumps(one).encode() + b"\n" for one in answers.cohere_first_events]
            self._stream(http, manner, lines, "application/stream+json")
        elif path == "v2/chat" and body.get("stream"):
            self._stream(http, manner, [encode(one, True) for one in answers.cohere_events], "text/event-stream")
        elif path == "v1/audio/speech":
            http.reply(200, b"ID3" * 1000, "audio/mpeg")
        elif path.endswith("/results"):
            lines = [
                {
                    "custom_id": str(index),
                    "result": {
                        "type": "succeeded",
                        "message": {**answers.messages_answer("claude"), "id": f"msg_b{index}"},
                    },
                }
                for index in range(2)
            ]
            http.reply(200, "".join(json.dumps(line) + "\n" for line in lines).encode(), "application/x-jsonl")
        elif path.endswith("-with-response-stream"):
            self._stream(
                http,
                manner,
                [amazon_message(one) for one in answers.messages_events("claude")],
                "application/vnd.amazon.eventstream",
            )
        elif path.endswith("/converse-stream"):
            self._stream(
                http,
                manner,
                [amazon_message(one, kind) for kind, one in answers.converse_events],
                "application/vnd.amazon.eventstream",
            )
        elif path.endswith(":streamGenerateContent"):
            self._stream(http, manner, [encode(one, False) for one in answers.gemini_chunks], "text/event-stream")
        elif body.get("stream") or path.endswith("streamRawPredict"):
            named = path != "v1/chat/completions"
            self._stream(
                http, manner, [encode(event, named) for event in _events(path, body, family)], "text/event-stream"
            )
        else:
            whole = self._whole(path, model, body)
            if whole is None:
                http.reply(404, refusal("not_found", f"There is no {path}"))
            else:
                http.reply(
                    200,
                    json.dumps(
                        {
                            **whole,
                            **(
                                {"results_url": f"{self.url}/{manner}/anthropic/v1/messages/batches/msgbatch_1/results"}
                                if "results_url" in whole
                                else {}
                            ),
                        }
                    ).encode(),
                    x_request_id="req_1",
                    **(answers.bedrock_headers if path.endswith("/invoke") else {}),
                )

    def _whole(self, path: str, model: str, body: Json) -> Optional[Json]:
        if path == "v1/responses/resp_1":
            self._asked += 1
            return {
                **answers.responses_answer("gpt-5"),
                **({"status": "in_progress", "usage": None} if self._asked == 1 else {}),
            }
        if path == "v1/responses" and body.get("background"):
            return {**answers.responses_answer(model), "status": "queued", "output": [], "usage": None}
        known: Dict[str, Callable[[], Json]] = {
            "v1/chat/completions": lambda: answers.chat_answer(model),
            "v1/responses": lambda: answers.responses_answer(model),
            "v1/embeddings": lambda: answers.embeddings_answer(model),
            "v1/images/generations": lambda: answers.images_answer,
            "v1/audio/transcriptions": lambda: answers.transcription_answer,
            "v1/batches": lambda: answers.batch_answer("validating"),
            "v1/batches/batch_1": lambda: answers.batch_answer("completed"),
            "v1/messages": lambda: answers.messages_answer(model),
            "v1/messages/batches": lambda: answers.message_batch,
            "v1/messages/batches/msgbatch_1": lambda: answers.message_batch,
            "v1/fim/completions": lambda: answers.chat_answer(model),
            "v1/ocr": lambda: answers.ocr_answer,
            "v1/conversations": lambda: answers.conversation_answer,
            "v1/chat": lambda: answers.cohere_first_answer,
            "v2/chat": lambda: answers.cohere_answer,
            "v2/embed": lambda: answers.cohere_embeddings,
            "v2/rerank": lambda: answers.cohere_rerank,
            "v1/vector_stores": lambda: {"id": "vs_1", "object": "vector_store"},
        }
        if path.endswith(":generateContent"):
            asks_for_function = "tools" in body and "functionResponse" not in json.dumps(body)
            return answers.gemini_call if asks_for_function else answers.gemini_answer
        if path.endswith((":embedContent", ":batchEmbedContents")):
            return {
                "embeddings": [{"values": [0.25]}],
                "embedding": {"values": [0.25]},
                "usageMetadata": {"promptTokenCount": 3},
            }
        if path.endswith(":predict"):
            return answers.imagen_answer if "imagen" in path else answers.vertex_embeddings
        if path.endswith("/converse"):
            return answers.converse_answer
        if "titan" in path:
            return {"embedding": [0.1], "inputTextTokenCount": 5}
        if path.endswith((":rawPredict", "/invoke")):
            return answers.messages_answer("claude")
        return known[path]() if path in known else None

    def _stream(self, http: Quiet, manner: str, events: List[bytes], content_type: str) -> None:
        http.send_response(200)
        http.send_header("Content-Type", content_type)
        http.send_header("Transfer-Encoding", "chunked")
        http.end_headers()
        broken = manner in ("cut", "endless", "failing")
        try:
            for event in events[:2] if broken else events:
                http.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
            if manner == "failing":
                failure = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
                if b'"candidates"' in events[0]:
                    failure = {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}
                event = (
                    amazon_message({"message": "Too many tokens"}, "throttlingException", "exception")
                    if "amazon" in content_type
                    else encode(failure, "type" in failure)
                )
                http.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(event), event))
            elif manner == "cut":
                http.close_connection = True
                http.connection.shutdown(socket.SHUT_RDWR)
            elif manner == "endless":
                http.close_connection = True
                while http.connection.recv(1) and not self._stopped.is_set():
                    pass
                self.abandoned += 1
            else:
                if (
                    content_type == "text/event-stream"
                    and b'"candidates"' not in events[-1]
                    and events
                    and events[-1].startswith(b"data")
                ):
                    http.wfile.write(b"e\r\ndata: [DONE]\n\n\r\n")
                http.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.abandoned += 1


class Asking(unittest.TestCase):
    """Tests that ask one provider, and each of which has a service of its own."""

    provider: Provider

    @classmethod
    def setUpClass(cls) -> None:
        cls.provider = Provider()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.provider.close()

    def setUp(self) -> None:
        self.intake = Intake()
        self.farthing, self.told = reporting(self.intake)
        self.addCleanup(self.intake.close)

    def outcomes(self, count: int) -> List[Json]:
        """The last events of so many calls."""

        def ended() -> List[Json]:
            self.farthing.flush()
            last = self.intake.of("after") + self.intake.of("error")
            return last if len(last) >= count else []

        last: List[Json] = eventually(ended)
        self.assertEqual(len(self.intake.events), 2 * count)
        return last


def encode(event: Json, named: bool) -> bytes:
    data = f"data: {json.dumps(event)}\n\n".encode()
    return f"event: {event['type']}\n".encode() + data if named else data


def _events(path: str, body: Json, family: str) -> List[Json]:
    model = str(body.get("model"))
    if family == "mistral":
        # Its last chunk has the usage, unasked.
        *first, last = answers.chat_chunks(model, False)
        return [*first, {**last, "usage": answers.mistral_usage}]
    if path == "v1/chat/completions":
        return answers.chat_chunks(model, (body.get("stream_options") or {}).get("include_usage") is True)
    if path == "v1/responses":
        return answers.responses_events(model)
    return answers.messages_events(model if "model" in body else "claude")


def pieces_of(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]
