"""One call for one request: a framework begins a call, and a wrapped client beneath it goes on with that one."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple

from ._attribution import current_tags, tags_of
from ._call import Call, Reporter

if TYPE_CHECKING:
    from ._farthing import Farthing

# The most open calls of a framework, and ended ones that are remembered. The oldest goes first.
_most_kept = 10_000
# The most frames of a stack that are looked at.
_deepest = 500


class Expected:
    """A call that a framework has begun. Who makes its request claims it, and alone ends it."""

    def __init__(self, call: Call, package: str) -> None:
        self.call, self.package = call, package
        # Taken from by any thread.
        self._unclaimed = [call]
        self._is_ours = False

    @property
    def is_unclaimed(self) -> bool:
        return bool(self._unclaimed)

    def claim(self) -> Optional[Call]:
        """The call, for the first who asks."""
        try:
            return self._unclaimed.pop()
        except IndexError:
            return None

    def own(self) -> Optional[Call]:
        """The call, for the framework itself, if no wrapped client has claimed it."""
        self._is_ours = self._is_ours or self.claim() is not None
        return self.call if self._is_ours else None

    def is_for(self) -> bool:
        """Whether the framework has called what runs now: a host may make a request of its own between two pieces of a stream."""
        frame, depth = sys._getframe(1), 0  # pyright: ignore[reportPrivateUsage]
        while frame is not None and depth < _deepest:
            if str(frame.f_globals.get("__name__")).partition(".")[0] == self.package:
                return True
            frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
        return False


_expected: ContextVar[Tuple[Expected, ...]] = ContextVar("farthing_expected")


def begin_call(
    reporter: Reporter,
    *,
    type: str,  # noqa: A002 The event's own name.
    model: Optional[str],
    provider: Optional[str],
    fields: Optional[Mapping[str, object]] = None,
    whom: Optional[Mapping[str, Any]] = None,
    not_of: Optional[str] = None,
) -> Call:
    """A new call for whom this context says, or the one that a framework has begun for this request."""
    # The last first: not each framework tells of a call that was cancelled, which then stays expected.
    for expected in reversed(_expected.get(())):
        is_other = expected.is_unclaimed and expected.package != not_of
        call = expected.claim() if is_other and expected.is_for() else None
        if call is not None:
            call.go_on(model, provider, fields or {})
            return call
    tags = current_tags() if whom is None else tags_of(whom, current_tags())
    return Call(reporter.send, type=type, model=model, provider=provider, tags=tags, fields=fields)


class Runs:
    """The open calls of a framework, by the framework's own ids. Each is reported once, however often its end is told."""

    def __init__(self, package: str, reporter: Reporter, *, nests: bool = False) -> None:
        self._package, self.reporter = package, reporter
        # Others begin several calls before they make the first request.
        self._not_of = None if nests else package
        self._open: Dict[object, Expected] = {}
        self._ended: Dict[object, None] = {}

    @classmethod
    def of(cls, farthing: Optional[Farthing], package: str, *, nests: bool = False) -> Runs:
        """Those that one `Farthing` reports, by default the one with the settings of the environment.

        `nests`: a request of the framework may be told twice, one within the other.
        """
        if farthing is None:
            from . import of_environment

            farthing = of_environment()
        return cls(package, farthing.reporter, nests=nests)

    def begin(self, key: object, *, run: object = None, **call: Any) -> None:
        """A request is about to be made: `call` is what `begin_call` takes, and `run` is its run if nothing else names one."""
        if key is None or key in self._open:
            return
        if run is not None and "run" not in current_tags():
            call["whom"] = {"run": run, **{name: one for name, one in call["whom"].items() if one is not None}}
        self._ended.pop(key, None)
        expected = Expected(begin_call(self.reporter, **call, not_of=self._not_of), self._package)
        _keep(self._open, key, expected)
        _expected.set((*(one for one in _expected.get(()) if one.is_unclaimed), expected))

    def knows(self, key: object) -> bool:
        return key in self._open or key in self._ended

    def take(self, key: object, answer: object) -> None:
        """A piece of a stream has come."""
        expected = self._open.get(key)
        call = None if expected is None else expected.own()
        if call is not None:
            call.reading.take(answer)

    def end(self, key: object, answer: object, error: object = None, **fields: object) -> None:
        """The request has been answered, or has failed. A wrapped client that made it reports it itself."""
        expected = self._open.pop(key, None)
        if expected is None:
            return
        _keep(self._ended, key, None)
        call = expected.own()
        if call is None:
            # A client hears later that its stream is left, when it is forgotten.
            if isinstance(error, BaseException) and not isinstance(error, Exception):
                expected.call.fail(error)
            return
        call.go_on(None, None, fields)
        call.reading.take(answer)
        if error is None:
            call.end()
        else:
            call.fail(error)


def _keep(kept: Dict[object, Any], key: object, value: object) -> None:
    while len(kept) >= _most_kept:
        kept.pop(next(iter(kept)), None)
    kept[key] = value
