"""Reports the requests of LangChain's and LangGraph's models by a callback handler.

from farthing.langchain import Handler

agent.invoke(input, config={"callbacks": [Handler()]})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from ._dimensions import dimensions
from ._expected import Runs
from ._farthing import Farthing
from ._json import Json, at, fields_of, text_at
from ._providers import provider_named

if TYPE_CHECKING:

    class BaseCallbackHandler:
        """LangChain's own, where it is not installed."""

else:
    from langchain_core.callbacks import BaseCallbackHandler

__all__ = ["Handler"]

# The most runs of chains whose outermost run is known; the oldest goes first.
_most_kept = 10_000


class Handler(BaseCallbackHandler):
    """A callback handler of LangChain: each request of a model is one call, and all of one agent or chain are one run.

    `customer`, `user`, `feature` and `run` are also read from the `metadata` of a `config`.
    """

    # In the context in which the request is made.
    run_inline = True

    def __init__(self, farthing: Optional[Farthing] = None) -> None:
        super().__init__()
        self._runs = Runs.of(farthing, "langchain_core")
        # The outermost run of each that goes on.
        self._roots: Dict[object, object] = {}

    def on_chat_model_start(self, serialized: Any, messages: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names them.
        self._begin("langchain.chat", told)

    def on_llm_start(self, serialized: Any, prompts: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names them.
        self._begin("langchain.completion", told)

    def on_llm_new_token(self, token: Any, **told: Any) -> None:
        with self._runs.reporter.problems:
            # What is seen of a stream that breaks off: each piece is a token or more.
            piece: Json = {"choices": [{"delta": {"content": "-"}}]} if token else {}
            self._runs.take(told.get("run_id"), {**piece, **_said(fields_of(told.get("chunk")).get("message"))})

    def on_llm_end(self, response: Any, **told: Any) -> None:
        with self._runs.reporter.problems:
            generations = fields_of(response).get("generations") or [[]]
            message = fields_of(generations[0][0]).get("message") if generations[0] else None
            answer = _said(message)
            if "usage" not in answer:
                output = at(response, "llm_output")
                answer["usage"] = output.get("token_usage") or output.get("usage")
            is_cached = at(message, "usage_metadata").get("total_cost") == 0
            self._runs.end(told.get("run_id"), answer, **({"gateway_cache": True} if is_cached else {}))

    def on_llm_error(self, error: Any, **told: Any) -> None:
        with self._runs.reporter.problems:
            self._runs.end(told.get("run_id"), None, error)

    def on_chain_start(self, serialized: Any, inputs: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names them.
        self._enter(told)

    def on_tool_start(self, serialized: Any, input_str: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names them.
        self._enter(told)

    def on_chain_end(self, outputs: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names it.
        self._roots.pop(told.get("run_id"), None)

    def on_chain_error(self, error: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names it.
        self._roots.pop(told.get("run_id"), None)

    def on_tool_end(self, output: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names it.
        self._roots.pop(told.get("run_id"), None)

    def on_tool_error(self, error: Any, **told: Any) -> None:  # noqa: ARG002 LangChain names it.
        self._roots.pop(told.get("run_id"), None)

    def _enter(self, told: Mapping[str, Any]) -> None:
        with self._runs.reporter.problems:
            run, parent = told.get("run_id"), told.get("parent_run_id")
            while len(self._roots) >= _most_kept:
                self._roots.pop(next(iter(self._roots)), None)
            self._roots[run] = self._roots.get(parent, run if parent is None else parent)

    def _begin(self, kind: str, told: Mapping[str, Any]) -> None:
        with self._runs.reporter.problems:
            metadata, params = at(told, "metadata"), at(told, "invocation_params")
            asked = [params.get(name) for name in ("model", "model_name", "model_id")]
            self._runs.begin(
                told.get("run_id"),
                type=kind,
                model=text_at(metadata, "ls_model_name") or next((one for one in asked if isinstance(one, str)), None),
                provider=provider_named(metadata.get("ls_provider")),
                whom={name: metadata.get(name) for name in dimensions},
                run=self._roots.get(told.get("parent_run_id")),
            )


def _said(message: Any) -> Json:
    """The provider's own usage if the message has it, else LangChain's, which is of one shape for all."""
    metadata, own = at(message, "response_metadata"), fields_of(message)
    usage = metadata.get("token_usage") or metadata.get("usage") or own.get("usage_metadata")
    id_of_answer = text_at(metadata, "id") or text_at(own, "id") or ""
    said: Json = {
        "id": None if id_of_answer.startswith(("run-", "lc_")) else id_of_answer,
        "model": text_at(metadata, "model_name") or text_at(metadata, "model"),
        "service_tier": metadata.get("service_tier"),
        "usage": usage,
    }
    return {name: value for name, value in said.items() if value}
