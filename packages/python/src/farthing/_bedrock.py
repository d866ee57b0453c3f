"""Watches boto3's clients of Bedrock's runtime by botocore's own events, sent once per call, whatever number of attempts it takes."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from ._call import Call, Reporter
from ._expected import begin_call
from ._json import Json, at, number_at
from ._problems import Problems
from ._streams import Tap, splitter_for

_mark = "__farthing__"
_kinds = {
    "Converse": "bedrock.converse",
    "ConverseStream": "bedrock.converse",
    "InvokeModel": "bedrock.invoke",
    "InvokeModelWithResponseStream": "bedrock.invoke",
}
_passed = ("ApplyGuardrail", "StartAsyncInvoke", "InvokeModelWithBidirectionalStream")

# Whose counts an answer's headers repeat, and its last event if it is streamed.
_of_headers = {"x-amzn-bedrock-input-token-count": "inputTokens", "x-amzn-bedrock-output-token-count": "outputTokens"}
_of_metrics = {
    "inputTokenCount": "inputTokens",
    "outputTokenCount": "outputTokens",
    "cacheReadInputTokenCount": "cacheReadInputTokens",
    "cacheWriteInputTokenCount": "cacheWriteInputTokens",
}


def is_runtime(client: object) -> bool:
    """Whether it is a client of boto3 for Bedrock's runtime. Its class is made at run time, so the service tells."""
    is_boto = any(kind.__module__.startswith("botocore.") for kind in type(client).__mro__)
    return is_boto and client.meta.service_model.service_name == "bedrock-runtime"  # type: ignore[attr-defined]


def watch(client: Any, reporter: Reporter, provider: Optional[str]) -> None:
    """Registers for the client's events. Each call has a context of its own, which goes with all of its events."""
    if hasattr(client, _mark):
        return
    setattr(client, _mark, True)
    problems, key = reporter.problems, f"{_mark}{id(client)}"

    def on_params(params: Mapping[str, Any], context: Dict[str, Any], **_more: object) -> None:
        with problems:
            context[key] = params.get("modelId")

    def on_begin(model: Any, context: Dict[str, Any], **_more: object) -> None:
        with problems:
            if model.name in _passed:
                problems.tell("not_reported", f"requests of {model.name} are not reported", model.name)
            if model.name in _kinds:
                context[key] = begin_call(
                    reporter, type=_kinds[model.name], model=context.get(key), provider=provider or "aws"
                )

    def on_answer(http_response: Any, parsed: Any, context: Dict[str, Any], **_more: object) -> None:
        with problems:
            call = context.pop(key, None)
            if isinstance(call, Call):
                _answer(call, http_response, parsed, problems)

    def on_error(exception: BaseException, context: Dict[str, Any], **_more: object) -> None:
        with problems:
            call = context.pop(key, None)
            if isinstance(call, Call):
                call.fail(exception)

    events = client.meta.events
    events.register("before-parameter-build.bedrock-runtime", on_params)
    # First, as a handler that answers in the service's place ends the event.
    events.register_first("before-call.bedrock-runtime", on_begin)
    events.register("after-call.bedrock-runtime", on_answer)
    events.register("after-call-error.bedrock-runtime", on_error)


def _answer(call: Call, http_response: Any, parsed: Any, problems: Problems) -> None:
    reading, status = call.reading, http_response.status_code
    if status >= 300:
        error = at(parsed, "Error")
        call.fail({"code": error.get("Code"), "message": error.get("Message"), "status": status})
        return

    def take(answer: Mapping[str, Any]) -> None:
        reading.take(answer)
        if call.model is not None and not call.model.startswith("arn:"):
            # What was asked for names the region that is charged; an answer has the maker's name of the model.
            reading.model = None

    raw = http_response.raw
    if raw is None:
        # A handler of the host's has answered in the service's place.
        call.end()
    elif "stream" in parsed or ("body" in parsed and not hasattr(parsed["body"], "read")):

        def take_event(event: Json) -> None:
            take(event)
            metrics = at(event, "amazon-bedrock-invocationMetrics")
            if metrics and not reading.has_usage:
                reading.take({"usage": _counts(metrics, _of_metrics)})
            # The counts come last.
            reading.is_done = (
                reading.is_done or bool(metrics) or number_at(at(event, "usage"), "inputTokens") is not None
            )
            if reading.failure is not None:
                # What the host raises may keep the body, unread, until memory is collected.
                call.end()

        Tap(problems, splitter_for("amazon.eventstream"), take_event, call=call).watch_raw(raw, by_chunks=True)
    elif "body" in parsed:
        headers = http_response.headers
        # The body's own usage says more, where the model has one and the host reads it.
        reading.take({"usage": _counts({name: _number(headers.get(name)) for name in _of_headers}, _of_headers)})
        reading.is_done = True
        Tap(problems, splitter_for(headers.get("content-type", "")), take, call=call).watch_raw(raw)
    else:
        take({name: value for name, value in parsed.items() if name != "output"})
        call.end()


def _counts(found: Mapping[str, Any], names: Mapping[str, str]) -> Json:
    return {name: found[told] for told, name in names.items() if number_at(found, told) is not None}


def _number(text: object) -> Optional[int]:
    return int(text) if isinstance(text, str) and text.isdigit() else None
