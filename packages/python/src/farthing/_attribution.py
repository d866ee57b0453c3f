"""Whom and what calls are for."""

from __future__ import annotations

import functools
import sys
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type, TypeVar, cast

from ._dimensions import dimensions
from ._json import fields_of

if sys.version_info >= (3, 11):
    from typing import Self
else:
    Self = Any

Function = TypeVar("Function", bound=Callable[..., Any])
Tags = Mapping[str, str]

# Limits of the intake, which refuses an event that exceeds them. Of its 100 tags, some are kept for the dimensions.
_most_key, _most_value, _most_tags = 128, 1024, 100 - len(dimensions)

_current: ContextVar[Tags] = ContextVar("farthing_attribution")


def clip(text: str, most: int = _most_value) -> str:
    """A text that the intake takes: at most so many characters."""
    return text[:most]


def tags_of(attribution: Mapping[str, Any], outer: Tags) -> Dict[str, str]:
    """The tags of an attribution, added to those of outer ones. An inner value wins."""
    tags = dict(outer)

    def add(name: object, value: object, most: int) -> None:
        text = text_of(value)
        key = clip(str(name), _most_key)
        if text is not None and (key in tags or len(tags) < most):
            tags[key] = clip(text)

    for name, value in fields_of(attribution.get("tags")).items():
        add(name, value, _most_tags)
    for name, value in attribution.items():
        if name != "tags" and name not in dimensions:
            add(name, value, _most_tags)
    for name in dimensions:
        add(name, attribution.get(name), _most_tags + len(dimensions))
    return tags


def text_of(value: object) -> Optional[str]:
    """What names a customer, a user, a feature or a run; None if that is nothing."""
    if value is None or isinstance(value, (dict, list, tuple, set, bytes)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    # Ids are often numbers, UUIDs or members of an enumeration.
    return str(getattr(value, "value", value) if hasattr(type(value), "__members__") else value)


def current_tags() -> Tags:
    """The tags of what runs now."""
    return _current.get({})


class attribute:  # noqa: N801 Used as a verb: `with attribute(customer="acme"):`.
    """Attributes all calls within the block, or within the decorated function, across awaits. Nested ones add to it.

    `customer`, `user`, `feature` and `run` are dimensions. `tags` and any further names are free tags. Never raises.
    It reaches new tasks and `asyncio.to_thread`; where Python starts a thread without the context, as `Thread` and
    `ThreadPoolExecutor.submit` do, run the function with `contextvars.copy_context().run`.
    """

    def __init__(
        self,
        *,
        customer: object = None,
        user: object = None,
        feature: object = None,
        run: object = None,
        tags: Optional[Mapping[str, object]] = None,
        **more: object,
    ) -> None:
        self._attribution = {**more, "customer": customer, "user": user, "feature": feature, "run": run, "tags": tags}
        self._tokens: List[Token[Tags]] = []

    def __enter__(self) -> Self:
        try:
            self._tokens.append(_current.set(tags_of(self._attribution, current_tags())))
        except Exception:
            pass
        return self

    def __exit__(
        self,
        _kind: Optional[Type[BaseException]] = None,
        _error: Optional[BaseException] = None,
        _trace: Optional[TracebackType] = None,
    ) -> None:
        # One object may be entered by several threads and tasks, and FastAPI ends a dependency in another context than it
        # began it in: that one has nothing to restore.
        for token in reversed(self._tokens):
            try:
                _current.reset(token)
            except (ValueError, RuntimeError):
                continue
            self._tokens.remove(token)
            return

    def __call__(self, function: Function) -> Function:
        """Attributes all calls within the function, also those of a coroutine function, a generator or an async generator."""
        # Imported late: only decorators need it.
        import inspect

        kinds: List[Tuple[Callable[[Any], bool], Callable[..., Any]]] = [
            (inspect.iscoroutinefunction, _run_coroutine),
            (inspect.isasyncgenfunction, _run_async_generator),
            (inspect.isgeneratorfunction, _run_generator),
            (callable, _run),
        ]
        run = next(run for is_kind, run in kinds if is_kind(function))
        given: Any = self._attribution

        @functools.wraps(function)
        def attributed(*args: Any, **kwargs: Any) -> Any:
            return run(lambda: attribute(**given), function, args, kwargs)

        if run is _run_coroutine:
            # Frameworks ask whether it is one.
            @functools.wraps(function)
            async def attributed_coroutine(*args: Any, **kwargs: Any) -> Any:
                return await run(lambda: attribute(**given), function, args, kwargs)

            return cast(Function, attributed_coroutine)
        return cast(Function, attributed)


Begin = Callable[[], attribute]


def _run(begin: Begin, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    with begin():
        return function(*args, **kwargs)


async def _run_coroutine(begin: Begin, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    with begin():
        return await function(*args, **kwargs)


def _run_generator(begin: Begin, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    # Each step is attributed by itself: between two of them the caller's own code runs.
    items = function(*args, **kwargs)
    step: Callable[[], Any] = items.__next__
    try:
        while True:
            try:
                with begin():
                    item = step()
            except StopIteration as end:
                return end.value
            step = functools.partial(items.send, (yield item))
    finally:
        items.close()


async def _run_async_generator(begin: Begin, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    items = function(*args, **kwargs)
    try:
        while True:
            try:
                with begin():
                    item = await items.__anext__()
            except StopAsyncIteration:
                return
            yield item
    finally:
        await items.aclose()
