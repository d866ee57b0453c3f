"""Reports what every AI call used to Farthing, which answers what the calls cost, for whom, and whether it paid.

    import farthing
    from openai import OpenAI

    client = farthing.wrap(OpenAI())
    with farthing.attribute(customer="acme", feature="summarize"):
        client.chat.completions.create(...)

The functions use one `Farthing` with the settings of the environment, made when it is first needed.
"""

from __future__ import annotations

import atexit
import sys

# As of `typing`, which takes longer to import than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from ._attribution import attribute
    from ._farthing import Block, Client, Farthing
    from ._guard import BudgetExceededError, Guard
    from ._problems import Problem

__all__ = [
    "Block",
    "BudgetExceededError",
    "Farthing",
    "Guard",
    "Problem",
    "attribute",
    "call",
    "close",
    "flush",
    "guard",
    "track",
    "wrap",
]
__version__ = "0.1.0"

_default: Optional[Farthing] = None


if not TYPE_CHECKING:
    # Imported when they are first used: a process that only imports the package waits for nothing.
    _homes = {
        "attribute": "_attribution",
        "Block": "_farthing",
        "BudgetExceededError": "_guard",
        "Farthing": "_farthing",
        "Guard": "_guard",
        "Problem": "_problems",
    }

    def __getattr__(name):
        if name not in _homes:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(f"{__name__}.{_homes[name]}"), name)
        return globals().setdefault(name, found)


def _end() -> None:
    queue = sys.modules.get(f"{__name__}._queue")
    if queue is not None:
        queue.end_all()


# At once, so that what the host registers later is called earlier.
atexit.register(_end)


def of_environment() -> Farthing:
    """The one that the functions of the module use."""
    global _default  # noqa: PLW0603 One for the process, made late.
    if _default is None:
        from ._farthing import Farthing

        _default = Farthing()
    return _default


def wrap(client: Client, *, provider: Optional[str] = None) -> Client:
    """Makes a client report its calls, and returns the same client: `Farthing.wrap`."""
    return of_environment().wrap(client, provider=provider)


def call(**fields: Any) -> Block:
    """Reports the block as one call: `Farthing.call`."""
    return of_environment().call(**fields)


def guard(budget: str, **options: Any) -> Guard:
    """Runs a block if a budget allows it: `Farthing.guard`."""
    return of_environment().guard(budget, **options)


def track(type: str, **fields: Any) -> None:  # noqa: A002 The event's own name.
    """Sends an event of another type: `Farthing.track`."""
    of_environment().track(type, **fields)


def flush(within_ms: float = 10_000) -> bool:
    """Sends all waiting events; false if some still wait after this time: `Farthing.flush`."""
    return of_environment().flush(within_ms)


def close(within_ms: float = 10_000) -> bool:
    """Sends the waiting events, then takes no more: `Farthing.close`."""
    return of_environment().close(within_ms)
