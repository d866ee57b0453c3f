"""A provider of models for the packages, and the service that they report to.

It answers the requests of the providers' clients with known usage, and keeps what is posted beside them. A prompt with FAIL is
refused, one with RETRY is answered at the second try, and a stream for one with LEAVE goes on until the client leaves. A
request with tools is answered by a call of the first one until there is a result.
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import struct
import threading
import time
import uuid
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Tuple

Json = Dict[str, Any]

#: No part of this may be stored.
secret = "zebra-secret-4711"

models = {
    "gpt-4o": "gpt-4o-2024-08-06",
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18",
    "gpt-5-mini": "gpt-5-mini-2025-08-07",
}


def new_id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


class Provider:
    """What was answered, as kind of request, model, provider and tokens by bucket, and what was posted."""

    def __init__(self) -> None:
        self.truth: List[Json] = []
        self.posts: List[Json] = []
        #: What it says of a request that it refuses, as providers do that repeat the prompt.
        self.refusal = f"bad {secret}"
        self.lock = threading.Lock()
        self.numbers, self.tries = itertools.count(), itertools.count()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answered(self, of: str, model: str, provider: str, tokens: Dict[str, int]) -> None:
        with self.lock:
            kept = {kind: count for kind, count in tokens.items() if count}
            self.truth.append({"of": of, "model": model, "provider": provider, "tokens": kept})


def _handler_of(provider: Provider) -> type:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_args: object) -> None:
            return None

        def do_GET(self) -> None:
            self.reply(200, {"object": "list", "data": [{"id": "gpt-4o", "object": "model"}]})

        def do_POST(self) -> None:
            path, body = self.path.split("?")[0], self._body()
            if _keep(provider, path, self.headers.get("content-type", ""), body):
                self.reply(200, {"ok": True} if path.startswith("/intake") else {})
                return
            try:
                asked = json.loads(body or b"{}")
            except ValueError:
                asked = {}
            for ending, (of, answer) in _answers.items():
                if ending in path:
                    self.answer(answer, _Request(self, provider, path, asked, of))
                    return
            self.reply(404, {"error": {"message": f"no {path}"}})

        def answer(self, answer: Callable[[_Request], None], request: _Request) -> None:
            if "RETRY" in request.text and next(provider.tries) % 2 == 0:
                self.reply(500, {"error": {"message": "try again", "type": "server_error"}})
            else:
                answer(request)

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding") == "chunked":
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
            return gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body

        def reply(self, status: int, answer: Json) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.send_header("x-request-id", new_id("req_"))
            self.end_headers()
            self.wfile.write(body)

        def stream(self, parts: Iterator[bytes], content_type: str = "text/event-stream") -> None:
            self.send_response(200)
            self.send_header("content-type", content_type)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            try:
                for part in parts:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                    self.wfile.flush()
                    time.sleep(0.002)
                self.wfile.write(b"0\r\n\r\n")
            except ConnectionError:
                self.close_connection = True

    return Handler


class _Request:
    def __init__(self, handler: Any, provider: Provider, path: str, asked: Json, of: str) -> None:
        self.handler, self.provider, self.path, self.asked = handler, provider, path, asked
        self.text = json.dumps(asked)
        self.is_streamed = bool(asked.get("stream")) or "stream" in path.lower()
        self.is_left = self.is_streamed and "LEAVE" in self.text
        self.of = f"{of} left" if self.is_left else f"{of} stream" if self.is_streamed else of
        #: Every answer has counts of its own.
        self.number = next(provider.numbers)

    def answered(self, model: str, provider: str, **tokens: int) -> None:
        self.provider.answered(self.of, model, provider, tokens)

    def refuse(self, model: str, provider: str, answer: Json) -> bool:
        """Whether it was refused."""
        if "FAIL" not in self.text:
            return False
        self.provider.answered(f"{self.of} refused", model, provider, {})
        self.handler.reply(400, answer)
        return True


def _keep(provider: Provider, path: str, content_type: str, body: bytes) -> bool:
    """Keeps events, spans, log records and LiteLLM's records, by the route after the address of the client or of Langfuse."""
    route = path.strip("/").replace("otlp/", "")
    if route == "v1/metrics":
        return True
    if route.endswith("litellm"):
        text = body.decode()
        kept: Any = json.loads(text) if text[:1] == "[" else [json.loads(line) for line in text.splitlines()]
        route = route if route.startswith("import") else "litellm/"
    elif route == "intake/5045c1bc":
        route, kept = "", [json.loads(line) for line in body.decode().splitlines()]
    elif route in ("v1/traces", "v1/logs", "api/public/otel/v1/traces"):
        # Protobuf is decoded by the packages of the environment.
        kept = json.loads(body) if "json" in content_type else base64.b64encode(body).decode()
    else:
        return False
    with provider.lock:
        provider.posts.append({"route": route, "body": kept})
    return True


def _event(data: Json, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\n\n"


def _arguments(schema: Json) -> Json:
    """An argument for each parameter of a tool."""
    fields = schema.get("properties") or {}
    return {
        name: 1 if str(one.get("type")).lower() in ("integer", "number") else secret for name, one in fields.items()
    }


def _refusal(request: _Request) -> Json:
    return {"error": {"message": request.provider.refusal, "type": "invalid_request_error", "code": "bad"}}


def _chat(request: _Request) -> None:
    """OpenAI's chat completions."""
    asked, n = request.asked, request.number
    model = models.get(asked.get("model", ""), asked.get("model", ""))
    if request.refuse(model, "openai", _refusal(request)):
        return
    fresh, cached, output = 483 + 20 * n, 1024, 203 + n
    usage = {
        "prompt_tokens": fresh + cached,
        "completion_tokens": output,
        "total_tokens": fresh + cached + output,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 128, "audio_tokens": 0},
    }
    if request.is_left:
        request.answered(model, "openai")
    else:
        request.answered(model, "openai", input=fresh, cache_read=cached, output=output - 128, reasoning=128)
    tools = [one["function"] for one in asked.get("tools") or [] if one.get("type") == "function"]
    has_result = any(one.get("role") == "tool" for one in asked.get("messages") or [])
    call = None
    if tools and not has_result:
        arguments = json.dumps(_arguments(tools[0].get("parameters") or {}))
        call = {
            "id": new_id("call_"),
            "type": "function",
            "function": {"name": tools[0]["name"], "arguments": arguments},
        }
    base = {"id": new_id("chatcmpl-"), "created": int(time.time()), "model": model, "service_tier": "default"}
    end = "tool_calls" if call else "stop"
    if not asked.get("stream"):
        message = {"role": "assistant", "content": None if call else secret, **({"tool_calls": [call]} if call else {})}
        choice = {"index": 0, "message": message, "finish_reason": end, "logprobs": None}
        request.handler.reply(200, {**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        return

    def chunk(delta: Json, reason: Any = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _event({**base, "object": "chat.completion.chunk", "choices": [choice]})

    def parts() -> Iterator[bytes]:
        yield chunk({"role": "assistant", "content": ""})
        for _piece in range(500 if request.is_left else 1):
            yield chunk({"tool_calls": [{"index": 0, **call}]} if call else {"content": secret})
        yield chunk({}, end)
        if (asked.get("stream_options") or {}).get("include_usage"):
            yield _event({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    request.handler.stream(parts())


def _responses(request: _Request) -> None:
    """OpenAI's responses."""
    asked, n = request.asked, request.number
    model = models.get(asked.get("model", ""), asked.get("model", ""))
    if request.refuse(model, "openai", _refusal(request)):
        return
    fresh, cached, output = 483 + 20 * n, 1024, 203 + n
    if request.is_left:
        request.answered(model, "openai")
    else:
        request.answered(model, "openai", input=fresh, cache_read=cached, output=output - 128, reasoning=128)
    usage = {
        "input_tokens": fresh + cached,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 128},
        "total_tokens": fresh + cached + output,
    }
    given = asked.get("input")
    has_result = "function_call_output" in json.dumps(given)
    tools = [one for one in asked.get("tools") or [] if one.get("type") == "function"]
    if tools and not has_result:
        item = {
            "type": "function_call",
            "id": new_id("fc_"),
            "call_id": new_id("call_"),
            "name": tools[0]["name"],
            "arguments": json.dumps(_arguments(tools[0].get("parameters") or {})),
            "status": "completed",
        }
    else:
        content = [{"type": "output_text", "text": secret, "annotations": [], "logprobs": []}]
        item = {"type": "message", "id": new_id("msg_"), "role": "assistant", "status": "completed", "content": content}
    base = {
        "id": new_id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "model": model,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": asked.get("tools") or [],
        "top_p": 1.0,
        "service_tier": "default",
    }
    whole = {**base, "status": "completed", "output": [item], "usage": usage}
    if not asked.get("stream"):
        request.handler.reply(200, whole)
        return

    def parts() -> Iterator[bytes]:
        events: List[Json] = [
            {"type": "response.created", "response": {**base, "status": "in_progress", "output": [], "usage": None}},
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}},
        ]
        if item["type"] == "message":
            at = {"output_index": 0, "content_index": 0, "item_id": item["id"]}
            events += [
                {
                    "type": "response.content_part.added",
                    **at,
                    "part": {"type": "output_text", "text": "", "annotations": []},
                },
                *[{"type": "response.output_text.delta", **at, "delta": secret, "logprobs": []}]
                * (500 if request.is_left else 1),
                {"type": "response.output_text.done", **at, "text": secret, "logprobs": []},
                {"type": "response.content_part.done", **at, "part": item["content"][0]},
            ]
        else:
            at = {"output_index": 0, "item_id": item["id"]}
            events += [
                {"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]},
                {
                    "type": "response.function_call_arguments.done",
                    **at,
                    "arguments": item["arguments"],
                    "name": item["name"],
                },
            ]
        events += [
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        ]
        for index, event in enumerate(events):
            yield _event({**event, "sequence_number": index}, event["type"])

    request.handler.stream(parts())


def _embeddings(request: _Request) -> None:
    asked = request.asked
    given = asked.get("input")
    count = len(given) if isinstance(given, list) and given and not isinstance(given[0], int) else 1
    request.answered(asked["model"], "openai", input=37)
    vector: Any = [0.1] * 8
    if asked.get("encoding_format") == "base64":
        vector = base64.b64encode(struct.pack("8f", *vector)).decode()
    data = [{"object": "embedding", "index": index, "embedding": vector} for index in range(count)]
    usage = {"prompt_tokens": 37, "total_tokens": 37}
    request.handler.reply(200, {"object": "list", "model": asked["model"], "data": data, "usage": usage})


def _messages(request: _Request) -> None:
    """Anthropic's messages."""
    asked, n = request.asked, request.number
    model = asked.get("model", "")
    error = {"type": "invalid_request_error", "message": request.provider.refusal}
    if request.refuse(model, "anthropic", {"type": "error", "error": error, "request_id": new_id("req_")}):
        return
    fresh, read, written, hour, output = 105 + 10 * n, 2000, 200, 100 if "ONEHOUR" in request.text else 0, 203 + n
    told = 1 if request.is_left else output
    request.answered(
        model, "anthropic", input=fresh, cache_read=read, cache_write=written, cache_write_1h=hour, output=told
    )
    usage = {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written + hour,
        "cache_read_input_tokens": read,
        "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": hour},
        "output_tokens": output,
        "service_tier": "standard",
    }
    tools = [one for one in asked.get("tools") or [] if "input_schema" in one]
    block: Json = {"type": "text", "text": secret}
    if tools and "tool_result" not in request.text:
        arguments = _arguments(tools[0]["input_schema"])
        block = {"type": "tool_use", "id": new_id("toolu_"), "name": tools[0]["name"], "input": arguments}
    end = {"stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn", "stop_sequence": None}
    base = {"id": new_id("msg_"), "type": "message", "role": "assistant", "model": model}
    if not asked.get("stream"):
        request.handler.reply(200, {**base, "content": [block], **end, "usage": usage})
        return

    def parts() -> Iterator[bytes]:
        begun = {
            **base,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**usage, "output_tokens": 1},
        }
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": secret}
            if is_text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        for event in (
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            *[{"type": "content_block_delta", "index": 0, "delta": delta}] * (500 if request.is_left else 1),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": output}},
            {"type": "message_stop"},
        ):
            yield _event(event, str(event["type"]))

    request.handler.stream(parts())


def _generate_content(request: _Request) -> None:
    """Google's Gemini."""
    asked, n = request.asked, request.number
    model = request.path.split("/models/")[1].split(":")[0]
    error = {"code": 400, "message": request.provider.refusal, "status": "INVALID_ARGUMENT"}
    if request.refuse(model, "google", {"error": error}):
        return
    fresh, cached, output, thoughts = 400 + 10 * n, 512, 90, 40
    told = 1 if request.is_left else output
    request.answered(model, "google", input=fresh, cache_read=cached, output=told, reasoning=thoughts)
    usage = {
        "promptTokenCount": fresh + cached,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": output,
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": fresh + cached + output + thoughts,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": fresh + cached}],
        "cacheTokensDetails": [{"modality": "TEXT", "tokenCount": cached}],
    }
    functions = [one for tool in asked.get("tools") or [] for one in tool.get("functionDeclarations") or []]
    part: Json = {"text": secret}
    if functions and "functionResponse" not in request.text:
        schema = functions[0].get("parameters") or functions[0].get("parametersJsonSchema") or {}
        part = {"functionCall": {"name": functions[0]["name"], "args": _arguments(schema)}}
    candidate = {"content": {"parts": [part], "role": "model"}, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": new_id("")}
    if "stream" not in request.path:
        request.handler.reply(200, whole)
        return
    first = {
        **whole,
        "usageMetadata": {**usage, "candidatesTokenCount": 1, "totalTokenCount": fresh + cached + 1 + thoughts},
    }
    first["candidates"] = [{"content": {"parts": [{"text": ""}], "role": "model"}, "index": 0}]
    begun = [_event(first)] * (500 if request.is_left else 1)
    request.handler.stream(iter([*begun, _event(whole)] if "text" in part else [_event(whole)]))


def _bedrock(request: _Request) -> None:
    """Converse and InvokeModel of Amazon Bedrock, by Claude."""
    from urllib.parse import unquote

    asked, n = request.asked, request.number
    model, operation = unquote(request.path.split("/model/")[1].split("/")[0]), request.path.split("/")[-1]
    fresh, read, written, output = 105 + 10 * n, 2000, 200, 203
    if request.refuse(model, "aws", {"message": request.provider.refusal}):
        return
    if request.is_left:
        request.answered(model, "aws")
    else:
        request.answered(model, "aws", input=fresh, cache_read=read, cache_write=written, output=output)
    total = fresh + read + written + output
    usage = {
        "inputTokens": fresh,
        "outputTokens": output,
        "totalTokens": total,
        "cacheReadInputTokens": read,
        "cacheWriteInputTokens": written,
    }
    tools = (asked.get("toolConfig") or {}).get("tools") or []
    content: Json = {"text": secret}
    if tools and "toolResult" not in request.text:
        spec = tools[0]["toolSpec"]
        content = {
            "toolUse": {
                "toolUseId": new_id("tooluse_"),
                "name": spec["name"],
                "input": _arguments(spec["inputSchema"]["json"]),
            }
        }
    reason = "tool_use" if "toolUse" in content else "end_turn"
    if operation == "converse":
        message = {"role": "assistant", "content": [content]}
        request.handler.reply(
            200,
            {"output": {"message": message}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 10}},
        )
        return
    if operation == "converse-stream":
        block = {"contentBlockIndex": 0}
        started = []
        delta: Json = {"text": secret}
        if "toolUse" in content:
            use = content["toolUse"]
            started = [
                ("contentBlockStart", {**block, "start": {"toolUse": {k: use[k] for k in ("toolUseId", "name")}}})
            ]
            delta = {"toolUse": {"input": json.dumps(use["input"])}}
        events = [
            ("messageStart", {"role": "assistant"}),
            *started,
            *[("contentBlockDelta", {**block, "delta": delta})] * (500 if request.is_left else 1),
            ("contentBlockStop", block),
            ("messageStop", {"stopReason": reason}),
            ("metadata", {"usage": usage, "metrics": {"latencyMs": 10}}),
        ]
        request.handler.stream(iter([_amazon(*event) for event in events]), "application/vnd.amazon.eventstream")
        return
    answer = {
        "id": new_id("msg_bdrk_"),
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": secret}],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": fresh,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": output,
        },
    }
    request.handler.reply(200, answer)


def _amazon(kind: str, payload: Json) -> bytes:
    """A message of Amazon's event stream."""

    def header(name: str, value: str) -> bytes:
        return bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()

    headers = (
        header(":event-type", kind) + header(":content-type", "application/json") + header(":message-type", "event")
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return message + struct.pack(">I", zlib.crc32(message))


_answers: Dict[str, Tuple[str, Callable[[_Request], None]]] = {
    "/chat/completions": ("chat", _chat),
    "/responses": ("responses", _responses),
    "/embeddings": ("embeddings", _embeddings),
    "/v1/messages": ("messages", _messages),
    "enerateContent": ("generate", _generate_content),
    "/converse": ("converse", _bedrock),
    "/invoke": ("invoke", _bedrock),
}
