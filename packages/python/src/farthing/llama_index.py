"""Reports the requests of LlamaIndex's models by an event handler of its instrumentation.

from llama_index.core.instrumentation import get_dispatcher
from farthing.llama_index import Handler

get_dispatcher().add_event_handler(Handler())
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Optional

from ._expected import Runs
from ._farthing import Farthing
from ._json import at, fields_of, text_at
from ._providers import provider_named, provider_of_address

if TYPE_CHECKING:

    class BaseEventHandler:
        """LlamaIndex's own, where it is not installed."""

    def PrivateAttr() -> Any:  # noqa: N802 Pydantic's own name.
        """Pydantic's own, where it is not installed."""

else:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.instrumentation.event_handlers import BaseEventHandler

__all__ = ["Handler"]


class Handler(BaseEventHandler):
    """An event handler of LlamaIndex: each request of a model is one call. Its embeddings have no usage, and are not reported."""

    _runs: Runs = PrivateAttr()

    def __init__(self, farthing: Optional[Farthing] = None) -> None:
        super().__init__()
        self._runs = Runs.of(farthing, "llama_index", nests=True)

    @classmethod
    def class_name(cls) -> str:
        return "FarthingHandler"

    def handle(self, event: Any, **_more: Any) -> None:
        with self._runs.reporter.problems:
            kind, key = event.class_name(), event.span_id
            if key is None:
                return
            if kind in ("LLMChatStartEvent", "LLMCompletionStartEvent"):
                model = event.model_dict
                self._runs.begin(
                    key,
                    type="llama_index.chat" if kind == "LLMChatStartEvent" else "llama_index.completion",
                    model=next((found for name in _models if (found := text_at(model, name))), None),
                    provider=_provider_of(model),
                )
            elif kind in ("LLMChatInProgressEvent", "LLMCompletionInProgressEvent"):
                self._runs.take(key, fields_of(event.response).get("raw"))
            elif kind in ("LLMChatEndEvent", "LLMCompletionEndEvent"):
                self._runs.end(key, _answer_of(event.response))
            elif kind in ("SpanDropEvent", "ExceptionEvent") and self._runs.knows(key):
                # The span is dropped where the exception is handled, and says its text alone.
                told = fields_of(event)
                self._runs.end(key, None, told.get("exception") or sys.exc_info()[1] or str(told.get("err_str")))


# Where a model says its name.
_models = ("model", "model_name", "model_id")


def _provider_of(model: Any) -> Optional[str]:
    kind = re.sub(r"_?(?:responses_|chat_)?llm$", "", (text_at(model, "class_name") or "").lower())
    address = text_at(model, "api_base") or text_at(model, "base_url") or ""
    return provider_of_address(address) or provider_named(kind)


def _answer_of(response: Any) -> Any:
    """The provider's own answer if it has usage, else LlamaIndex's counts."""
    raw = fields_of(fields_of(response).get("raw"))
    if any(at(raw, name) for name in ("usage", "usage_metadata", "usageMetadata", "meta")):
        return raw
    counts = at(response, "additional_kwargs")
    return {**raw, "usage": {name: counts[name] for name in ("prompt_tokens", "completion_tokens") if name in counts}}
