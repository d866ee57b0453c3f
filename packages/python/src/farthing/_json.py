"""Reads values of unknown shape: answers, errors and objects of any client. Nothing in here calls a method of the host's objects."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Optional

Json = Dict[str, Any]

_deepest = 12


def fields_of(value: object) -> Mapping[str, Any]:
    """The fields of a dictionary, a Pydantic model or another object, as far as they were given; empty for anything else."""
    if isinstance(value, dict):
        return value
    if value is None or isinstance(value, (str, bytes, int, float, list, tuple, type)):
        return {}
    try:
        own = vars(value)
    except TypeError:
        return {}
    # Pydantic 2 keeps unknown fields apart, and Pydantic 1 has another name for the ones that were given.
    given = getattr(value, "__pydantic_fields_set__", None)
    if given is None and "__fields_set__" in dir(type(value)):
        given = getattr(value, "__fields_set__", None)
    extra = getattr(value, "__pydantic_extra__", None)
    if isinstance(given, set):
        own = {name: one for name, one in own.items() if name in given}
    return {**own, **extra} if isinstance(extra, dict) else own


def at(value: object, name: str) -> Mapping[str, Any]:
    """The fields of the object at a name; empty if there is none."""
    return fields_of(fields_of(value).get(name))


def objects_at(value: object, name: str) -> List[Mapping[str, Any]]:
    """The fields of each object of the list at a name."""
    found = fields_of(value).get(name)
    if not isinstance(found, (list, tuple)):
        return []
    return [fields for fields in map(fields_of, found) if fields]


def text_at(value: object, name: str) -> Optional[str]:
    """The text at a name; None if it is empty or none."""
    found = fields_of(value).get(name)
    return found if isinstance(found, str) and found else None


def number_at(value: object, name: str) -> Optional[float]:
    """The number at a name; None if it is none."""
    found = fields_of(value).get(name)
    return found if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def to_plain(value: object, depth: int = 0) -> Any:
    """A copy of a value that JSON can hold. What it can not hold becomes its text, or null where it is nested too deeply."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if is_plain(value):
        return value
    if depth >= _deepest:
        return None
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_plain(item, depth + 1) for item in value]
    # Objects without fields, such as a UUID, a Decimal or a time, are their text.
    if isinstance(value, dict) or _is_model(value):
        return {str(name): to_plain(item, depth + 1) for name, item in fields_of(value).items()}
    return str(value)


def _is_model(value: object) -> bool:
    kind = type(value)
    return hasattr(kind, "model_fields") or hasattr(kind, "__fields__") or hasattr(kind, "__dataclass_fields__")
