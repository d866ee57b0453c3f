"""Compares what a host sees with the package and without it."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from typing import Any, Callable, Dict, List

# It tells of every slow step of a test.
logging.getLogger("asyncio").setLevel(logging.ERROR)

# What differs between two requests that are alike.
_changing = re.compile(r"'[Dd]ate': '[^']*'|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT|0x[0-9a-f]+|127\.0\.0\.1:\d+|\d+ms")


def see(value: Any) -> Any:
    """What a host can see of a value: its class, its fields as they were given, and its text."""
    if isinstance(value, (list, tuple)):
        return [see(item) for item in value]
    if isinstance(value, dict):
        return {name: see(item) for name, item in value.items()}
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if hasattr(value, "to_dict"):
        return [kind, value.to_dict(), sorted(value.model_fields_set) if hasattr(value, "model_fields_set") else None]
    return [kind, _changing.sub("", repr(value))]


async def outcome_of(use: Callable[[Any], Any], client: Any) -> Any:
    """What a use of a client comes to: a value or an error."""
    try:
        value = await asyncio.to_thread(use, client) if not inspect.iscoroutinefunction(use) else await use(client)
        return see(value)
    except Exception as error:
        shown = [type(error).__qualname__, _changing.sub("", str(error)), type(error.__cause__).__qualname__]
        return ["raised", *shown, type(error.__context__).__qualname__]


async def differences(
    uses: Dict[str, Callable[[Any], Any]], manners: List[str], make: Callable[[str], Any], wrap: Callable[[Any], Any]
) -> List[str]:
    """The uses that come to something else with the package."""
    found = []
    for manner in manners:
        for name, use in uses.items():
            without, with_it = await outcome_of(use, make(manner)), await outcome_of(use, wrap(make(manner)))
            if without != with_it:
                found.append(f"{name}, {manner}:\n  without: {without}\n  with:    {with_it}")
    return found
