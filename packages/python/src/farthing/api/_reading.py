"""Reads answers by their types: amounts become `Decimal`, also those that are whole."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Union, get_args, get_origin, get_type_hints

Reader = Callable[[Any], Any]


def is_fields(kind: Any) -> bool:
    """Whether a type is a dictionary with known fields."""
    return hasattr(kind, "__total__") and hasattr(kind, "__required_keys__")


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """The types of its fields, with what is said beside them."""
    return get_type_hints(kind, include_extras=True)


def alternatives_of(kind: Any) -> List[Any]:
    """The types that a value may have, without None."""
    if hasattr(kind, "__metadata__"):
        return alternatives_of(get_args(kind)[0])
    if get_origin(kind) is not Union:
        return [kind]
    return [one for part in get_args(kind) if part is not type(None) for one in alternatives_of(part)]


@cache
def reader_of(kind: Any) -> Optional[Reader]:
    """What reads a value of this type; None where it stays as JSON has it."""
    alternatives = alternatives_of(kind)
    fields = [one for one in alternatives if is_fields(one)]
    if len(fields) > 1:
        return lambda value: _read_fields(value, _fitting(value, fields))
    [first, *others] = alternatives
    if Decimal in alternatives:
        return lambda value: Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if is_fields(first) and not others:
        return lambda value: _read_fields(value, first)
    if get_origin(first) in (list, dict) and not others:
        within = reader_of(get_args(first)[-1])
        if within is None:
            return None
        read = within
        if get_origin(first) is list:
            return lambda value: [read(one) for one in value] if isinstance(value, list) else value
        return lambda value: {name: read(one) for name, one in value.items()} if isinstance(value, dict) else value
    return None


@cache
def _readers_of(kind: Any) -> Mapping[str, Reader]:
    readers: Dict[str, Reader] = {}
    for name, hint in hints_of(kind).items():
        read = reader_of(hint)
        if read is not None:
            readers[name] = read
    return readers


def _read_fields(value: Any, kind: Any) -> Any:
    if isinstance(value, dict):
        for name, read in _readers_of(kind).items():
            if value.get(name) is not None:
                value[name] = read(value[name])
    return value


def _fitting(value: Any, kinds: List[Any]) -> Any:
    """The type whose single values and needed fields a value has."""
    if isinstance(value, dict):
        for kind in kinds:
            if all(name in value for name in kind.__required_keys__) and all(
                value.get(name) in get_args(hint)
                for name, hint in hints_of(kind).items()
                if get_origin(hint) is Literal and name in kind.__required_keys__
            ):
                return kind
    return kinds[0]
