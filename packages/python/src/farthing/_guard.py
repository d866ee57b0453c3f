"""Asking before calls whether a budget allows them."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import weakref
from collections import OrderedDict
from datetime import datetime
from types import TracebackType
from typing import Any, Callable, List, NamedTuple, Optional, Tuple, Type

from ._json import fields_of
from ._problems import Problems

_remembered_s = 1.0
_asked_just_now_s = 0.1
_ask_within_s = 1.0
_flush_within_ms = 250.0
# An answer is a second behind at most while the service keeps up.
_most_behind_s = 1.2
_most_doubts = 30
_lesson_every_s = 0.2
_most_lessons = 10
# So many calls are made before it is known what one costs; the next waits for that, if one has ended.
_most_untold = 2
_many_calls = 50
_most_remembered = 10_000
_most_answer_bytes = 1 << 20


class BudgetExceededError(Exception):
    """A call was not made: its budget is used up, or what is spent is not known and `when_unknown` is `deny`.

    `spent` is in USD, with about what the calls cost that were made since the last answer; `resets_at` is when more may be spent.
    Both are None when they are not known.
    """

    def __init__(
        self,
        budget: str,
        of: Optional[str] = None,
        spent: Optional[float] = None,
        amount: Optional[float] = None,
        resets_at: Optional[datetime] = None,
    ) -> None:
        named = f"The budget {budget}{'' if of is None else f' of {of}'}"
        until = "" if resets_at is None else f", until {resets_at.isoformat()}"
        super().__init__(
            f"{named} is not known, and calls are denied meanwhile"
            if spent is None
            else f"{named} is used up: {spent:g} of {amount:g} USD are spent{until}"
        )
        self.budget, self.of, self.spent, self.resets_at = budget, of, spent, resets_at


class Answer(NamedTuple):
    spent: float
    amount: float
    resets_at: Optional[datetime]
    # By the service's clock, in seconds since 1970: what was acknowledged before is in `spent`.
    as_of: float


class OwnCall:
    """One of the calls made here. `stored_at` is when its event was acknowledged at the latest."""

    __slots__ = ("has_ended", "stored_at")

    def __init__(self) -> None:
        self.has_ended = False
        self.stored_at: Optional[float] = None


class Watched:
    """What is known of a budget, or of one value of its `each`. Its lock is held shortly, `asking` while it is asked."""

    def __init__(self, guards: Guards) -> None:
        self.lock, self.asking = threading.Lock(), threading.Lock()
        self.answer: Optional[Answer] = None
        self.asked_at = float("-inf")
        self.own: List[OwnCall] = []
        self.lessons = 0
        self._guards = guards
        # How many calls the answers have, and by how much they have risen: so much one call costs.
        self._counted, self._risen = 0.0, 0.0
        self._ahead_s = float("-inf")

    @property
    def each(self) -> float:
        """What one call costs, in USD: at first what those of another budget do."""
        return self._risen / self._counted if self._counted > 0 else self._guards.each

    @property
    def spent(self) -> float:
        """In USD, with the calls made here that the answer lacks."""
        return (self.answer.spent if self.answer else 0.0) + len(self.own) * self.each

    @property
    def is_over(self) -> bool:
        return self.answer is not None and self.spent >= self.answer.amount

    @property
    def is_to_be_asked(self) -> bool:
        return time.monotonic() - self.asked_at > (_asked_just_now_s if self.is_over else _remembered_s)

    @property
    def is_untold(self) -> bool:
        """Whether calls were made and nobody knows yet what one costs: a fast loop would pass the amount meanwhile."""
        is_unknown = self._counted == 0 and self._guards.each == 0 and self.lessons < _most_lessons
        has_ended = any(call.has_ended for call in self.own)
        return is_unknown and self.answer is not None and not self.is_over and has_ended and len(self.own) >= _most_untold

    @property
    def is_doubtful(self) -> bool:
        """Whether the amount is only spent with calls that have ended and that the answer lacks."""
        answer = self.answer
        return (
            answer is not None
            and answer.spent < answer.amount
            and self.is_over
            and any(call.has_ended for call in self.own)
        )

    @property
    def must_wait(self) -> bool:
        return self.is_doubtful or self.is_untold

    @property
    def is_to_be_learnt(self) -> bool:
        """Whether to ask beside the calls, because nobody knows yet what one costs. A few times: they may cost nothing."""
        is_due = time.monotonic() - self.asked_at >= _lesson_every_s
        return self._counted == 0 and self.lessons < _most_lessons and is_due

    def forget(self) -> None:
        self.answer = None
        self.own = [call for call in self.own if not call.has_ended]

    def take(self, answer: Answer) -> None:
        before = self.answer.spent if self.answer else answer.spent
        self._risen += max(0.0, answer.spent - before)
        self.answer = answer
        self._ahead_s = max(self._ahead_s, answer.as_of - time.time())
        # An answer that is a little behind is no difference of clocks.
        ahead_s = self._ahead_s if self._ahead_s < -_most_behind_s else max(self._ahead_s, 0.0)
        left = [call for call in self.own if call.stored_at is None or call.stored_at + ahead_s > answer.as_of]
        self._counted += len(self.own) - len(left)
        self.own = left
        if self._risen > 0 and self._counted > 0:
            self._guards.each = self.each
        if self._counted >= _many_calls:
            # Later calls may cost more than earlier ones.
            self._counted, self._risen = self._counted / 2, self._risen / 2


class Guards:
    """The budgets that are asked for. Without a url or a key, nothing is known."""

    def __init__(self, url: str, api_key: str, flush: Callable[[float], bool], problems: Problems) -> None:
        self.each = 0.0
        self.problems = problems
        self._url, self._api_key, self._flush = url, api_key, flush
        self._opener: Any = None
        self.after_fork()
        _all.add(self)

    def after_fork(self) -> None:
        # A thread that did not survive may have held a lock.
        self._lock = threading.Lock()
        self._watched: OrderedDict[Tuple[str, Optional[str]], Watched] = OrderedDict()

    def find(self, budget: str, of: Optional[str]) -> Watched:
        with self._lock:
            watched = self._watched.pop((budget, of), None) or Watched(self)
            # The one that was used longest ago goes first.
            self._watched[(budget, of)] = watched
            while len(self._watched) > _most_remembered:
                self._watched.popitem(last=False)
        return watched

    def settle(self, watched: Watched, budget: str, of: Optional[str]) -> None:
        """Asks if it is time to. Near the amount, waits for an answer that has the calls made here. Never raises."""
        if watched.is_to_be_asked:
            self.ask(watched, budget, of, lambda: watched.is_to_be_asked)
        for _ in range(_most_doubts):
            if not watched.must_wait:
                return
            time.sleep(_asked_just_now_s)
            self.ask(watched, budget, of, lambda: watched.must_wait)
        if watched.is_untold:
            # Answers do not tell what a call costs: the service is far behind.
            watched.lessons = _most_lessons

    def ask(self, watched: Watched, budget: str, of: Optional[str], is_wanted: Callable[[], bool]) -> None:
        """Asks, unless another thread just has. What the service does not answer is not known, for a second."""
        with watched.asking:
            if not is_wanted():
                return
            about = f"unknown {json.dumps([budget, of])}"
            try:
                ended = [call for call in watched.own if call.has_ended and call.stored_at is None]
                if ended and self._flush(_flush_within_ms):
                    for call in ended:
                        call.stored_at = time.time()
                answer = self._request(budget, of)
                with watched.lock:
                    watched.take(answer)
                self.problems.over(about)
            except Exception as error:
                with watched.lock:
                    watched.forget()
                self.problems.tell("unknown_budget", f"the budget {budget} is not known: {error}", about)
            watched.asked_at = time.monotonic()

    def _request(self, budget: str, of: Optional[str]) -> Answer:
        if not self._url.startswith(("http://", "https://")) or not self._api_key:
            raise ValueError("FARTHING_URL or FARTHING_API_KEY is missing")
        # Imported late, because the standard library's client of HTTP takes as long as all else.
        import urllib.error
        import urllib.parse
        import urllib.request

        from ._sender import make_opener

        self._opener = self._opener or make_opener()
        query = "" if of is None else f"?{urllib.parse.urlencode({'of': of})}"
        address = f"{self._url}/api/budgets/{urllib.parse.quote(budget, safe='')}/check/{query}"
        headers = {"Authorization": f"Bearer {self._api_key}", "User-Agent": "farthing-python"}
        try:
            request = urllib.request.Request(address, headers=headers)  # noqa: S310 By http alone, as seen above.
            with self._opener.open(request, timeout=_ask_within_s) as got:
                return _read(got.read(_most_answer_bytes))
        except urllib.error.HTTPError as error:
            with error:
                raise ValueError(f"the service answered {error.code}") from None


def _read(body: bytes) -> Answer:
    answer = fields_of(json.loads(body))
    spent, remaining, resets_at = answer.get("spent"), answer.get("remaining"), answer.get("resets_at")
    if not isinstance(spent, (int, float)) or not isinstance(remaining, (int, float)):
        raise ValueError("the service's answer has no amounts")
    resets = _time(resets_at) if isinstance(resets_at, str) else None
    return Answer(float(spent), float(spent + remaining), resets, _time(str(answer.get("as_of"))).timestamp())


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


_all: weakref.WeakSet[Guards] = weakref.WeakSet()


def _after_fork() -> None:
    for guards in list(_all):
        guards.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Guard:
    """A block that is run while a budget allows it: `with`, or `async with` in a coroutine."""

    def __init__(self, guards: Guards, budget: str, of: Optional[str], on_exceeded: str, when_unknown: str) -> None:
        self._guards, self._budget, self._of = guards, budget, of
        self._on_exceeded, self._when_unknown = on_exceeded, when_unknown
        self._watched = guards.find(budget, of)
        self._own: List[OwnCall] = []

    def __enter__(self) -> None:
        self._guards.settle(self._watched, self._budget, self._of)
        self._begin()

    async def __aenter__(self) -> None:
        if self._watched.is_to_be_asked or self._watched.must_wait:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, self._guards.settle, self._watched, self._budget, self._of)
        self._begin()

    def __exit__(
        self, _kind: Optional[Type[BaseException]], _error: Optional[BaseException], _trace: Optional[TracebackType]
    ) -> None:
        self._end()

    async def __aexit__(
        self, _kind: Optional[Type[BaseException]], _error: Optional[BaseException], _trace: Optional[TracebackType]
    ) -> None:
        self._end()

    def _begin(self) -> None:
        """Raises the refusal, or counts the call at once: the next one is judged with it."""
        watched, budget, of = self._watched, self._budget, self._of
        problems, about = self._guards.problems, f"exceeded {json.dumps([budget, of])}"
        with watched.lock:
            answer, spent, is_over = watched.answer, watched.spent, watched.is_over
            refusal: Optional[BudgetExceededError] = None
            if answer is None:
                refusal = BudgetExceededError(budget, of) if self._when_unknown == "deny" else None
            elif is_over:
                refusal = BudgetExceededError(budget, of, spent, answer.amount, answer.resets_at)
            is_made = refusal is None or (answer is not None and self._on_exceeded == "warn")
            if is_made:
                own = OwnCall()
                watched.own.append(own)
                self._own.append(own)
        if refusal is None:
            problems.over(about)
        elif is_made:
            problems.tell("exceeded", str(refusal), about)
        else:
            raise refusal

    def _end(self) -> None:
        if self._own:
            self._own.pop().has_ended = True
        with self._guards.problems:
            watched = self._watched
            if watched.is_to_be_learnt:
                watched.lessons += 1
                arguments = (watched, self._budget, self._of, lambda: True)
                threading.Thread(target=self._guards.ask, args=arguments, daemon=True).start()
