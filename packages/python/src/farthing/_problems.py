"""Telling the host, once, what does not work, and keeping every fault of this package away from it."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Callable, Dict, NamedTuple, Optional, Type


class Problem(NamedTuple):
    """What does not work: a code, a sentence, and how many events have been dropped so far. The codes:

    - `settings`: the url, the client id or the secret is missing or wrong, so nothing is sent.
    - `unknown_client`: `wrap` does not know the client, so its calls are not reported.
    - `not_reported`: a request of a wrapped client may cost money and is not reported; each path is told once.
    - `unreachable`: the service can't be reached or refuses; events wait, and are sent later.
    - `full`: the queue is full, and new events are dropped.
    - `refused`: the service or its limits refuse events, which are dropped.
    - `unsent`: the process ends, or `close` gives up, before all events are sent.
    - `exceeded`: a budget of a guard that only warns is used up.
    - `unknown_budget`: what is spent on a guard's budget is not known.
    - `internal`: a fault of this package. The host's call is not touched by it.
    """

    code: str
    message: str
    dropped: int


def warn(problem: Problem) -> None:
    """Tells a problem where the host's log goes: the logger `farthing`."""
    # Imported late, because most processes have no problem to tell.
    import logging

    logging.getLogger("farthing").warning("farthing: %s", problem.message)


class Problems:
    """Tells each problem once until it is over, and counts dropped events. As a context manager, it keeps errors from the host."""

    def __init__(self, tell: Optional[Callable[[Problem], object]] = None) -> None:
        self.dropped = 0
        self._tell = tell or warn
        self._told: Dict[str, str] = {}
        self.after_fork()

    def after_fork(self) -> None:
        """In a child process: a thread that did not survive may have held the lock."""
        # Reentrant: a finalizer may report a call while this thread is in here.
        self._lock = threading.RLock()

    def tell(self, code: str, message: str, about: Optional[str] = None) -> None:
        """Tells a problem, once for each `about`."""
        with self._lock:
            if (about or code) in self._told:
                return
            self._told[about or code] = code
        try:
            self._tell(Problem(code, message, self.dropped))
        except Exception:
            pass

    def drop(self, code: str, count: int, message: str) -> None:
        with self._lock:
            self.dropped += count
        self.tell(code, message)

    def over(self, *codes: str) -> None:
        """Marks problems as over, so that they are told again when they come back."""
        for code in codes:
            self._told.pop(code, None)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], _trace: Optional[TracebackType]
    ) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        try:
            self.tell("internal", f"a call was not reported: {error.__class__.__name__}: {error}")
        except Exception:
            pass
        return True
