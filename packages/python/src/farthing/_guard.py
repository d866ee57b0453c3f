"""Asking before calls whether a budget allows them."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections import OrderedDict
from datetime import datetime
from types import TracebackType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Type, Union

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
# So many calls are made at once before it is known what one costs; others wait for that, at most so long.
_most_untold = 2
_wait_for_cost_s = 10.0
# The share of what is left that may be spent while only another budget tells what a call costs.
_guessed_share = 0.1
_many_calls = 50
_most_remembered = 10_000
_most_answer_bytes = 1 << 20


class BudgetExceededError(Exception):
    """A call was not made: its budget is used up, or what is spent is not known and `when_unknown` is `deny`.

    `spent` is in USD, if the service's answer is below the amount with about what the calls cost that were made since; `resets_at` is
    when more may be spent.
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
        named = f'The budget "{budget}"' + ("" if of is None else f" for {of}")
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


Flush = Callable[[float], bool]


class OwnCall:
    """One of the calls made here. `flush` sends its event; `stored_at` is when that was acknowledged at the latest."""

    __slots__ = ("flush", "has_ended", "stored_at")

    def __init__(self, flush: Flush) -> None:
        self.flush, self.has_ended = flush, False
        self.stored_at: Optional[float] = None


class Watched:
    """What is known of a budget, or of one value of its `each`. Its lock is held shortly, `asking` while it is asked."""

    def __init__(self, known: Knowledge) -> None:
        self.lock, self.asking = threading.Lock(), threading.Lock()
        self.is_queued = False
        self.answer: Optional[Answer] = None
        self.asked_at = float("-inf")
        self.own: List[OwnCall] = []
        self.lessons, self.lesson_at = 0, float("-inf")
        self._known = known
        # How many calls the answers have, and by how much they have risen: so much one call costs.
        self._counted, self._risen = 0.0, 0.0
        self._ahead_s = float("-inf")

    @property
    def each(self) -> float:
        """What one call costs, in USD: at first what those of another budget do."""
        return self._risen / self._counted if self._counted > 0 else self._known.each

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
    def is_due(self) -> bool:
        return time.monotonic() - self.asked_at > _asked_just_now_s

    @property
    def spent_for_sure(self) -> float:
        """As `spent`, but where the service itself says that the amount is spent, what it says: it may have the calls made here."""
        answer = self.answer
        return answer.spent if answer is not None and answer.spent >= answer.amount else self.spent

    @property
    def is_untold(self) -> bool:
        """Whether calls were made and it is not told yet what one costs: many at once would pass the amount meanwhile."""
        return self._is_learning and len(self.own) >= _most_untold and self._may_be_much

    @property
    def is_guessed_over(self) -> bool:
        """Whether only a guess, as of another budget, says that the amount is spent, and a call may tell what one costs."""
        return self._is_learning and self.is_over and len(self.own) < _most_untold

    @property
    def _is_learning(self) -> bool:
        answer = self.answer
        is_to_be_told = self._counted == 0 and self.lessons < _most_lessons and not self._known.is_given_up
        return is_to_be_told and answer is not None and answer.spent < answer.amount

    @property
    def _may_be_much(self) -> bool:
        """What another budget's calls cost is good for a part of what is left."""
        answer = self.answer
        if answer is None or self._known.each == 0:
            return True
        return self.spent - answer.spent >= (answer.amount - answer.spent) * _guessed_share

    @property
    def has_ended(self) -> bool:
        return any(call.has_ended for call in list(self.own))

    @property
    def is_doubtful(self) -> bool:
        """Whether the amount is only spent with calls that have ended and that the answer lacks."""
        answer = self.answer
        return answer is not None and answer.spent < answer.amount and self.is_over and self.has_ended

    def stop_learning(self) -> None:
        """Nothing tells what a call costs: the service is far behind, or calls take long."""
        self.lessons, self._known.is_given_up = _most_lessons, True

    @property
    def is_to_be_learnt(self) -> bool:
        """Whether to ask beside the calls, because nobody knows yet what one costs. A few times: they may cost nothing."""
        is_due = time.monotonic() - max(self.asked_at, self.lesson_at) >= _lesson_every_s
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
            self._known.each = self.each
        if self._counted >= _many_calls:
            # Later calls may cost more than earlier ones.
            self._counted, self._risen = self._counted / 2, self._risen / 2


class Wait:
    """Near the amount, a wait for an answer that has the calls made here; at first, until one tells what a call costs."""

    def __init__(self, watched: Watched, on_exceeded: str) -> None:
        self._watched, self._waits_for_cost = watched, on_exceeded != "warn"
        self._until, self._doubts = time.monotonic() + _wait_for_cost_s, 0

    @property
    def goes_on(self) -> bool:
        if self._waits_for_cost and self._watched.is_untold:
            if time.monotonic() < self._until:
                return True
            self._watched.stop_learning()
        if not self._watched.is_doubtful:
            return False
        self._doubts += 1
        return self._doubts <= _most_doubts


class Knowledge:
    """What all guards of the process know that ask the same service with the same key."""

    def __init__(self) -> None:
        self.each, self.is_given_up = 0.0, False
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


# A fork leaves it behind: a thread that did not survive may have held a lock.
_knowledge: Dict[Tuple[str, str], Knowledge] = {}


class Guards:
    """The budgets that are asked for. Without a url or a key, nothing is known."""

    def __init__(self, url: str, api_key: str, flush: Flush, problems: Problems) -> None:
        self.problems, self.flush = problems, flush
        self._url, self._api_key = url, api_key
        self._opener: Any = None

    def find(self, budget: str, of: Optional[str]) -> Watched:
        return _knowledge.setdefault((self._url, self._api_key), Knowledge()).find(budget, of)

    def ask_soon(self, watched: Watched, budget: str, of: Optional[str]) -> None:
        """Asks, unless another thread has while this one waited for it. Never raises."""
        self.ask(watched, budget, of, lambda: watched.is_to_be_asked or watched.is_due)

    def ask(self, watched: Watched, budget: object, of: Optional[str], is_wanted: Callable[[], bool]) -> None:
        """Asks, unless another thread just has. What the service does not answer is not known, for a second."""
        with watched.asking, self.problems:
            if not is_wanted():
                return
            about = f"unknown {json.dumps([budget, of])}"
            try:
                if not isinstance(budget, str) or not budget:
                    raise ValueError("guard needs its name")
                _flush_ended(list(watched.own))
                answer = self._request_in_time(budget, of)
                with watched.lock:
                    watched.take(answer)
                self.problems.over(about)
            except Exception as error:
                with watched.lock:
                    watched.forget()
                self.problems.tell("unknown_budget", f"the budget {budget} is not known: {error}", about)
            watched.asked_at = time.monotonic()

    def _request_in_time(self, budget: str, of: Optional[str]) -> Answer:
        """In a thread: a socket's time limit begins anew with each byte that comes, and names of hosts are looked up without one."""
        outcome: List[Union[Answer, Exception]] = []

        def request() -> None:
            try:
                outcome.append(self._request(budget, of))
            except Exception as error:
                outcome.append(error)

        thread = threading.Thread(target=request, daemon=True)
        thread.start()
        thread.join(_ask_within_s)
        got = outcome[0] if outcome else TimeoutError("the service did not answer in time")
        if isinstance(got, Exception):
            raise got
        return got

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


def _flush_ended(calls: List[OwnCall]) -> None:
    """Sends the events of calls that have ended, and notes which are stored."""
    ended = [call for call in calls if call.has_ended and call.stored_at is None]
    for flush in {call.flush for call in ended}:
        if flush(_flush_within_ms):
            for call in ended:
                if call.flush == flush:
                    call.stored_at = time.time()


def _read(body: bytes) -> Answer:
    answer = fields_of(json.loads(body))
    spent, remaining, resets_at = answer.get("spent"), answer.get("remaining"), answer.get("resets_at")
    if not isinstance(spent, (int, float)) or not isinstance(remaining, (int, float)):
        raise ValueError("the service's answer has no amounts")
    resets = _time(resets_at) if isinstance(resets_at, str) else None
    return Answer(float(spent), float(spent + remaining), resets, _time(str(answer.get("as_of"))).timestamp())


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_knowledge.clear)


class Guard:
    """A block that is run while a budget allows it: `with`, or `async with` in a coroutine."""

    def __init__(self, guards: Guards, budget: str, of: Optional[str], on_exceeded: str, when_unknown: str) -> None:
        self._guards, self._budget, self._of = guards, budget, of
        self._on_exceeded, self._when_unknown = on_exceeded, when_unknown
        self._own: List[OwnCall] = []

    @property
    def _watched(self) -> Watched:
        """Looked up each time: a fork may come between, and leaves its locks behind."""
        return self._guards.find(self._budget, self._of)

    def __enter__(self) -> None:
        try:
            watched = self._watched
            if watched.is_to_be_asked:
                self._ask()
            wait = Wait(watched, self._on_exceeded)
            while not self._begin(wait):
                time.sleep(_asked_just_now_s)
                # No answer can tell what calls cost before one has ended.
                if watched.has_ended or watched.is_to_be_asked:
                    self._ask()
        except Exception as error:
            self._refuse(error)

    async def __aenter__(self) -> None:
        try:
            watched = self._watched
            # Not for ever, where the host's loop is slower than answers age.
            for _ in range(200):
                if not watched.is_to_be_asked:
                    break
                await self._ask_beside()
            wait = Wait(watched, self._on_exceeded)
            while not self._begin(wait):
                await asyncio.sleep(_asked_just_now_s)
                if watched.has_ended or watched.is_to_be_asked:
                    await self._ask_beside()
        except Exception as error:
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        """Raises the refusal; after a fault of the package, nobody knows what is spent."""
        if isinstance(error, BudgetExceededError):
            raise error
        with self._guards.problems:
            raise error
        if self._when_unknown == "deny":
            raise BudgetExceededError(self._budget, self._of) from None

    def _ask(self) -> None:
        self._guards.ask_soon(self._watched, self._budget, self._of)

    async def _ask_beside(self) -> None:
        """Asks in a thread, and only one: the host needs the others."""
        if self._watched.is_queued:
            await asyncio.sleep(_asked_just_now_s / 10)
            return
        self._watched.is_queued = True
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._ask)
        finally:
            self._watched.is_queued = False

    def __exit__(
        self, _kind: Optional[Type[BaseException]], _error: Optional[BaseException], _trace: Optional[TracebackType]
    ) -> None:
        self._end()

    async def __aexit__(
        self, _kind: Optional[Type[BaseException]], _error: Optional[BaseException], _trace: Optional[TracebackType]
    ) -> None:
        self._end()

    def _begin(self, wait: Wait) -> bool:
        """False if it is to be waited. Raises the refusal, or counts the call at once: the next one is judged with it."""
        watched, budget, of = self._watched, self._budget, self._of
        problems, about = self._guards.problems, f"exceeded {json.dumps([budget, of])}"
        with watched.lock:
            if wait.goes_on:
                return False
            answer, spent = watched.answer, watched.spent_for_sure
            is_over = watched.is_over and not watched.is_guessed_over
            refusal: Optional[BudgetExceededError] = None
            if answer is None:
                refusal = BudgetExceededError(budget, of) if self._when_unknown == "deny" else None
            elif is_over:
                refusal = BudgetExceededError(budget, of, spent, answer.amount, answer.resets_at)
            is_made = refusal is None or (answer is not None and self._on_exceeded == "warn")
            if is_made:
                own = OwnCall(self._guards.flush)
                watched.own.append(own)
                self._own.append(own)
        if refusal is None:
            problems.over(about)
        elif is_made:
            problems.tell("exceeded", str(refusal), about)
        else:
            raise refusal
        return True

    def _end(self) -> None:
        with self._guards.problems:
            if self._own:
                self._own.pop().has_ended = True
            watched = self._watched
            with watched.lock:
                # Calls that end together are one lesson.
                is_to_be_learnt = watched.is_to_be_learnt
                if is_to_be_learnt:
                    watched.lessons, watched.lesson_at = watched.lessons + 1, time.monotonic()
            if is_to_be_learnt:
                arguments = (watched, self._budget, self._of, lambda: True)
                threading.Thread(target=self._guards.ask, args=arguments, daemon=True).start()
