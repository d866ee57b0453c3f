"""A stand-in for LiteLLM where it is not installed: it tells its callbacks what it does as the real one does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Callable, Dict, List

callbacks: List[Any] = []


def completion(ask: Callable[[], Any], call_id: str, ends: int = 1, begins: int = 1, **details: Any) -> Any:
    """The first end of a stream has no cost, and the second is told by the asynchronous handler."""
    kwargs: Dict[str, Any] = {
        "litellm_call_id": call_id,
        "call_type": "completion",
        "model": "openai/gpt-5",
        "litellm_params": {"custom_llm_provider": "openai", "metadata": {}},
        **details,
    }
    begun = datetime.now()
    times = {"start_time": begun, "end_time": begun + timedelta(seconds=1.5)}
    for _ in range(begins):
        callbacks[0].log_pre_api_call(model="gpt-5", messages=[], kwargs=kwargs)
    try:
        answer = ask()
    except Exception as error:
        callbacks[0].log_failure_event(kwargs={**kwargs, "exception": error}, response_obj=None, **times)
        raise
    for index in range(ends):
        told = {**kwargs, **({"response_cost": 0.25} if index else {})}
        if index:
            finish(callbacks[0].async_log_success_event(kwargs=told, response_obj=answer, **times))
        else:
            callbacks[0].log_success_event(kwargs=told, response_obj=answer, **times)
    return answer


def completion_cost(completion_response: Any) -> float:
    return 0.25


def finish(coroutine: Any) -> None:
    try:
        coroutine.send(None)
    except StopIteration:
        pass
