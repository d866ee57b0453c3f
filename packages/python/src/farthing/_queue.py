"""The queue of events, and the thread that sends them."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import weakref
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable, Deque, List, NamedTuple, Optional, Set

from ._problems import Problems

if TYPE_CHECKING:
    from ._sender import Outcome


class Limits(NamedTuple):
    most_queued: int
    most_queued_bytes: int
    most_batch: int
    delay_s: float


# The most bytes of one request, below the intake's limit of 16 MiB.
_most_batch_bytes = 1 << 20
_first_pause_s, _longest_pause_s = 0.5, 30.0
# How long the end of a process waits for its last events.
_exit_s = 3.0

Send = Callable[[List[bytes], Optional[float]], Any]


class Queue:
    """A bounded queue of events, each already JSON.

    One request is under way at a time. A failed one is retried with backoff and the same bytes, so an event that arrives
    twice counts once. The thread is started at the first event, and again at the first event of a forked child.
    """

    def __init__(self, limits: Limits, send: Send, problems: Problems) -> None:
        self.problems = problems
        self._limits, self._send = limits, send
        self._is_closed = False
        self.after_fork()
        _queues.add(self)

    def after_fork(self) -> None:
        """In a child process: threads have not survived, locks may be held for ever, and what waits is the parent's."""
        # Reentrant: a finalizer or a handler of a signal may report a call while this thread is in here.
        self._lock = threading.RLock()
        self._sending = threading.Lock()
        self._waiting: Deque[bytes] = deque()
        self._bytes = 0
        # The most events of the next request; less after one was refused as a whole.
        self._batch = self._limits.most_batch
        self._failures = 0
        self._resumes_at = 0.0
        self._is_hurried = False
        self._was_idle = True
        # When the end of the process stops waiting.
        self._ends_at: Optional[float] = None
        self._thread: Optional[threading.Thread] = None
        # Its `put` is reentrant too, which a condition's `notify` is not.
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()

    def __len__(self) -> int:
        return len(self._waiting)

    def push(self, event: bytes) -> None:
        if len(event) > _most_batch_bytes:
            self.problems.drop("refused", 1, "an event had more than 1 MiB")
            return
        if self._is_closed:
            self.problems.drop("unsent", 1, "an event came after close()")
            return
        with self._lock:
            waiting = len(self._waiting)
            is_full = waiting >= self._limits.most_queued or self._bytes + len(event) > self._limits.most_queued_bytes
            if not is_full:
                self._waiting.append(event)
                self._bytes += len(event)
        if is_full:
            self.problems.drop("full", 1, f"{waiting} events wait; new ones are dropped")
            return
        if self._thread is None:
            self._start()
        if waiting + 1 >= self._limits.most_batch:
            self._hurry()
        elif waiting == 0:
            self._wakes.put(None)
        if self._ends_at is not None:
            # What else runs at the end of the process, such as LiteLLM's logging, still reports.
            self.flush(self._ends_at - time.monotonic(), is_last=True)

    def flush(self, within_s: float, *, is_last: bool = False) -> bool:
        """Sends all waiting events; false if some still wait after this time. A pause that the service asked for is kept.

        The last one of a process does not wait for a service that is away.
        """
        until = time.monotonic() + within_s
        pause_s = 0.001
        self._hurry()
        while self._waiting:
            left_s = until - time.monotonic()
            if left_s <= 0 or (is_last and self._failures):
                return False
            thread = self._thread
            # The interpreter starts no threads any more, or could not.
            has_thread = thread is not None and thread.is_alive()
            if not has_thread and self._resumes_at <= time.monotonic():
                self._send_batch(left_s)
                continue
            time.sleep(min(pause_s, left_s))
            pause_s = min(2 * pause_s, 0.02)
        return True

    def close(self) -> None:
        """Drops the waiting events, and takes no more."""
        self._is_closed = True
        with self._lock:
            left = self._drop(len(self._waiting))
        if left:
            self.problems.drop("unsent", left, f"close() gave up with {left} events left")
        self._wakes.put(None)

    def end(self, within_s: float) -> None:
        """The process ends: sends what waits, but waits for no service that is away."""
        self._ends_at = time.monotonic() + within_s
        if not self.flush(within_s, is_last=True):
            self.problems.tell("unsent", f"the process ends with {len(self._waiting)} events left")

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            self._thread = threading.Thread(target=self._run, name="farthing", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            # The process ends, or has no room for a thread: `flush` sends in its stead.
            pass
        _call_at_exit()

    def _run(self) -> None:
        while not self._is_closed:
            has_failed = True
            with self.problems:
                self._step()
                has_failed = False
            if has_failed:
                # A fault of the package must not keep a processor busy.
                self._resumes_at = time.monotonic() + _longest_pause_s

    def _step(self) -> None:
        """Waits until there is something to do, and does it."""
        left_s = self._resumes_at - time.monotonic()
        if not self._waiting:
            self._is_hurried, self._was_idle = False, True
            self._wakes.get()
        elif left_s > 0:
            self._pause(left_s, until_hurried=False)
        elif self._was_idle:
            # The first of many waits for the others.
            self._pause(self._limits.delay_s, until_hurried=True)
            self._was_idle = False
        else:
            self._send_batch(None)

    def _pause(self, seconds: float, *, until_hurried: bool) -> None:
        until = time.monotonic() + seconds
        while not self._is_closed and not (until_hurried and self._is_hurried):
            left_s = until - time.monotonic()
            if left_s <= 0:
                return
            try:
                self._wakes.get(timeout=left_s)
            except queue.Empty:
                return

    def _hurry(self) -> None:
        """Ends the wait for further events."""
        self._is_hurried = True
        self._wakes.put(None)

    def _send_batch(self, within_s: Optional[float]) -> None:
        if not self._sending.acquire(blocking=within_s is None):
            time.sleep(0.001)
            return
        try:
            events = self._next()
            if events:
                self._after(self._send(events, within_s), len(events))
        finally:
            self._sending.release()

    def _next(self) -> List[bytes]:
        """The next events that fit in a request."""
        with self._lock:
            first = list(islice(self._waiting, self._batch))
        size = 0
        for index, event in enumerate(first):
            size += len(event) + 1
            if index and size > _most_batch_bytes:
                return first[:index]
        return first

    def _after(self, outcome: Outcome, sent: int) -> None:
        if self._is_closed:
            return
        if outcome.kind == "later":
            self.problems.tell("unreachable", f"events wait to be sent: {outcome.reason}")
            # Drawn, so that many processes do not come back at the same time.
            pause_s = min(_longest_pause_s, _first_pause_s * 2 ** min(self._failures, 10)) * (
                0.5 + os.urandom(1)[0] / 512
            )
            self._failures += 1
            self._resumes_at = time.monotonic() + (pause_s if outcome.after_s is None else outcome.after_s)
            return
        self._failures = 0
        if outcome.kind == "too_large" and sent > 1:
            self._batch = (sent + 1) // 2
            return
        self._batch = min(self._limits.most_batch, self._batch * 2)
        with self._lock:
            self._drop(sent)
        self.problems.over("unreachable", "full")
        refused = 1 if outcome.kind == "too_large" else outcome.refused
        if refused:
            self.problems.drop("refused", refused, f"{refused} events were refused: {outcome.reason}")

    def _drop(self, count: int) -> int:
        dropped = min(count, len(self._waiting))
        for _ in range(dropped):
            self._bytes -= len(self._waiting.popleft())
        return dropped


_queues: weakref.WeakSet[Queue] = weakref.WeakSet()
_finalized: Set[str] = set()


def _call_at_exit() -> None:
    """Has the last events of a child of `multiprocessing` or of Celery sent when it ends: these skip `atexit`."""
    for name in ("multiprocessing.util", "billiard.util"):
        module = sys.modules.get(name)
        if module is not None and name not in _finalized:
            _finalized.add(name)
            module.Finalize(None, end_all, exitpriority=1)


def end_all() -> None:
    """The process ends."""
    until = 0.0
    for one in list(_queues):
        with one.problems:
            until = until or time.monotonic() + _exit_s
            one.end(until - time.monotonic())


def _after_fork() -> None:
    # What `atexit` calls is inherited; what the finalizers of `multiprocessing` call is not.
    _finalized.clear()
    for one in list(_queues):
        one.problems.after_fork()
        one.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
