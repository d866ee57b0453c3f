"""A stand-in for LlamaIndex where it is not installed: a model that sends the events of the real ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable, Iterator


class Event(SimpleNamespace):
    def __init__(self, kind: str, span_id: str, **fields: Any) -> None:
        super().__init__(span_id=span_id, **fields)
        self._kind = kind

    def class_name(self) -> str:
        return self._kind


class Model:
    def __init__(self, handler: Any, ask: Callable[[], Any], class_name: str = "openai_llm") -> None:
        self._handler, self._ask, self._class_name = handler, ask, class_name

    def chat(self, span: str, kind: str = "Chat") -> Any:
        told = {"class_name": self._class_name, "model_name": "gpt-5"}
        self._handler.handle(Event(f"LLM{kind}StartEvent", span, model_dict=told))
        try:
            answer = self._ask()
        except BaseException as error:
            self._handler.handle(Event("SpanDropEvent", span, err_str=str(error)))
            raise
        self._handler.handle(Event(f"LLM{kind}EndEvent", span, response=self._response(answer)))
        return answer

    def stream(self, span: str) -> Iterator[Any]:
        self._handler.handle(Event("LLMChatStartEvent", span, model_dict={}))
        try:
            for chunk in self._ask():
                self._handler.handle(Event("LLMChatInProgressEvent", span, response=self._response(chunk)))
                yield chunk
        except BaseException as error:
            self._handler.handle(Event("ExceptionEvent", span, exception=error))
            raise
        self._handler.handle(Event("LLMChatEndEvent", span, response=self._response(None)))

    def _response(self, answer: Any) -> Any:
        return SimpleNamespace(raw=answer, additional_kwargs={"prompt_tokens": 7, "completion_tokens": 3})
