"""A stand-in for LangChain where it is not installed: models that tell a handler what they do, in the order of the real ones."""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any, Callable, Iterator


class ChatModel:
    """Its requests are made by `ask`, which answers an answer of OpenAI."""

    def __init__(self, handler: Any, ask: Callable[[], Any], **metadata: Any) -> None:
        self._handler, self._ask = handler, ask
        self._metadata = {"ls_provider": "openai", "ls_model_name": "gpt-5", **metadata}

    def invoke(self, parent: Any = None) -> Any:
        run = uuid.uuid4()
        self._start(run, parent)
        try:
            answer = self._ask()
        except BaseException as error:
            self._handler.on_llm_error(error, run_id=run)
            raise
        self._handler.on_llm_end(self._result(answer), run_id=run)
        return answer

    def stream(self) -> Iterator[Any]:
        run = uuid.uuid4()
        self._start(run, None)
        try:
            for chunk in self._ask():
                self._handler.on_llm_new_token("a", chunk=SimpleNamespace(message=message_of({})), run_id=run)
                yield chunk
        except BaseException as error:
            self._handler.on_llm_error(error, run_id=run)
            raise
        self._handler.on_llm_end(self._result({}), run_id=run)

    def generate(self, count: int) -> None:
        runs = [uuid.uuid4() for _ in range(count)]
        for run in runs:
            self._start(run, None)
        for run, answer in [(run, self._ask()) for run in runs]:
            self._handler.on_llm_end(self._result(answer), run_id=run)

    def _start(self, run: Any, parent: Any) -> None:
        self._handler.on_chat_model_start({}, [], run_id=run, parent_run_id=parent, metadata=self._metadata)

    def _result(self, answer: Any) -> Any:
        fields = answer if isinstance(answer, dict) else vars(answer)
        return SimpleNamespace(generations=[[SimpleNamespace(message=message_of(fields))]], llm_output={})


def message_of(answer: Any) -> Any:
    metadata = {"token_usage": answer.get("usage"), "model_name": answer.get("model"), "id": answer.get("id")}
    return SimpleNamespace(response_metadata=metadata, usage_metadata=answer.get("usage_metadata"), id="run--1")
