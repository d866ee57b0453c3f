"""Reports the calls of LiteLLM, the library and its proxy, by its own callback.

    import litellm
    from farthing.litellm import Logger

    litellm.callbacks = [Logger()]

In the configuration of a proxy: `callbacks: farthing.litellm.logger`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from ._expected import Runs
from ._farthing import Farthing
from ._json import at, fields_of, number_at, text_at
from ._providers import provider_named

if TYPE_CHECKING:

    class CustomLogger:
        """LiteLLM's own, where it is not installed."""

else:
    from litellm.integrations.custom_logger import CustomLogger

__all__ = ["Logger"]

# Whom the proxy's keys are for. What a request says of itself wins.
_of_keys = {"customer": "user_api_key_end_user_id", "user": "user_api_key_user_id"}
# Metadata that requests and keys bring along.
_bags = ("user_api_key_auth_metadata", "requester_metadata", "spend_logs_metadata")
# By the names that metadata has for them, the first of which wins.
_dimensions = {
    "customer": ("customer", "customer_id"),
    "user": ("user", "user_id"),
    "feature": ("feature",),
    "run": ("run_id", "run"),
}
# Its user of those who have none.
_nobody = "default_user_id"


class Logger(CustomLogger):
    """A callback of LiteLLM. Its streams tell the end of a call twice, and its retries the beginning: each is one call."""

    def __init__(self, farthing: Optional[Farthing] = None) -> None:
        super().__init__()
        self._runs = Runs.of(farthing, "litellm")

    def log_pre_api_call(self, model: Any, messages: Any, kwargs: Any) -> None:  # noqa: ARG002 LiteLLM names them.
        with self._runs.reporter.problems:
            self._runs.begin(text_at(kwargs, "litellm_call_id"), **_call_of(kwargs))

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        self._end(kwargs, response_obj, start_time, end_time)

    def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        self._end(kwargs, response_obj, start_time, end_time, failed=True)

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        self._end(kwargs, response_obj, start_time, end_time)

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        self._end(kwargs, response_obj, start_time, end_time, failed=True)

    def _end(self, kwargs: Any, answer: Any, start: Any, end: Any, failed: bool = False) -> None:
        runs = self._runs
        with runs.reporter.problems:
            key = text_at(kwargs, "litellm_call_id")
            if key is None:
                return
            if not runs.knows(key):
                # It asks no provider if it has the answer in its cache, and some of its requests have no beginning.
                runs.begin(key, **_call_of(kwargs))
            error = fields_of(kwargs).get("exception") or "failed"
            fields: Dict[str, object] = {"elapsed_ms": round((end - start).total_seconds() * 1000, 3)}
            if fields_of(kwargs).get("cache_hit") is True:
                fields["gateway_cache"] = True
            else:
                fields["reported_cost"] = _cost_of(kwargs, answer)
            alias = text_at(at(at(kwargs, "litellm_params"), "metadata"), "model_group")
            if alias is not None and text_at(answer, "model") == alias:
                # A proxy puts its own name for the model in place of the one that answered.
                answer = {**fields_of(answer), "model": None}
            if text_at(answer, "id") is None:
                # What else reports an answer without an id, or a refusal, names it by that of the call.
                answer = {**fields_of(answer), "id": key}
            runs.end(key, answer, error if failed else None, **fields)


def _call_of(kwargs: Mapping[str, Any]) -> Dict[str, Any]:
    params = at(kwargs, "litellm_params")
    name = text_at(kwargs, "custom_llm_provider") or text_at(params, "custom_llm_provider") or ""
    model = text_at(kwargs, "model") or ""
    metadata = {**at(params, "litellm_metadata"), **at(params, "metadata")}
    said: Dict[str, Any] = {}
    for name_of_bag in _bags:
        said.update(at(metadata, name_of_bag))
    said.update(metadata)
    customer = text_at(kwargs, "user") or metadata.get(_of_keys["customer"])
    user = metadata.get(_of_keys["user"])
    whom = {
        "customer": customer,
        "user": None if user == _nobody else user,
        "tags": _tags_of(metadata.get("tags")),
        **{one: said[name] for one, names in _dimensions.items() for name in names[::-1] if said.get(name) is not None},
    }
    return {
        "type": f"litellm.{text_at(kwargs, 'call_type') or 'call'}",
        "model": model[len(name) + 1 :] if name and model.startswith(f"{name}/") else model or None,
        "provider": provider_named(name),
        "whom": whom,
    }


def _tags_of(texts: object) -> Dict[str, str]:
    """LiteLLM's tags are texts: `plan:pro` is a tag `plan`, and `beta` is a tag `beta` that is true."""
    listed = (
        [text.partition(":") for text in texts if isinstance(text, str)] if isinstance(texts, (list, tuple)) else []
    )
    return {name: value if colon else "true" for name, colon, value in listed}


def _cost_of(kwargs: Mapping[str, Any], answer: Any) -> Optional[float]:
    """What LiteLLM counts. One of the two ends of a stream has no cost; 0 is what models without a price have."""
    cost = number_at(kwargs, "response_cost")
    if not cost and answer is not None:
        import litellm  # type: ignore[import-not-found, unused-ignore]

        try:
            cost = litellm.completion_cost(completion_response=answer)
        except Exception:
            return None
    return cost or None


def __getattr__(name: str) -> Any:
    """`logger`, with the settings of the environment, for the configuration of a proxy."""
    if name != "logger":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, Logger())
