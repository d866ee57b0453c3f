"""Rows as frames of pandas and polars."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Set, get_args

from ._reading import alternatives_of, hints_of, is_fields

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]
    import polars  # pyright: ignore[reportMissingImports]


class Column(NamedTuple):
    """The values of a field: `kind` is `number`, `count`, `flag`, `date`, `date-time`, `text` or `other`."""

    kind: str
    values: List[Any]


def to_columns(rows: Sequence[Any], answer: Any, group_by: object = None) -> Dict[str, Column]:
    """The columns of rows, in the order of their fields: those that every row has, also where there is none, and those that one has."""
    [row] = get_args(hints_of(answer)["rows"])
    columns: Dict[str, Column] = {}
    # Of no rows, the question tells what they are grouped by: a dimension or a tag, such as `tag:env`.
    grouped = "tag" if ":" in str(group_by) else str(group_by)
    _add(columns, rows, row, "", set() if rows else {grouped})
    return columns


def _add(columns: Dict[str, Column], rows: Sequence[Any], kind: Any, prefix: str, kept: Set[str]) -> None:
    # Alternatives have fields of their own.
    kinds = alternatives_of(kind)
    hints = {name: hint for one in kinds for name, hint in hints_of(one).items()}
    kept = kept.union(set.intersection(*(set(one.__required_keys__) for one in kinds)))
    for row in rows:
        # A newer service may have further fields.
        for name in row or ():
            hints.setdefault(name, Any)
    for name, hint in hints.items():
        if name not in kept and not any(row is not None and name in row for row in rows):
            continue
        values = [None if row is None else row.get(name) for row in rows]
        alternatives = alternatives_of(hint)
        if all(is_fields(one) for one in alternatives):
            _add(columns, values, hint, f"{prefix}{name}.", set())
        else:
            columns[f"{prefix}{name}"] = Column(_kind_of(hint, alternatives), values)


def _kind_of(hint: Any, alternatives: Sequence[Any]) -> str:
    for part in (hint, *get_args(hint)):
        if hasattr(part, "__metadata__"):
            return str(part.__metadata__[0])
    if Decimal in alternatives:
        return "number"
    kinds = {bool: "flag", int: "count", str: "text"}
    return kinds.get(alternatives[0], "other") if len(alternatives) == 1 else "other"


def _instant(text: Optional[str]) -> Optional[datetime]:
    # Python 3.9 reads no Z.
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))


def to_pandas(columns: Dict[str, Column]) -> pandas.DataFrame:
    import pandas  # pyright: ignore[reportMissingImports]

    def series(kind: str, values: List[Any]) -> Any:
        if kind == "number":
            return pandas.Series([None if one is None else float(one) for one in values], dtype="float64")
        if kind in ("count", "flag"):
            has_none = any(one is None for one in values)
            plain, nullable = ("int64", "Int64") if kind == "count" else ("bool", "boolean")
            return pandas.Series(values, dtype=nullable if has_none else plain)
        if kind in ("date", "date-time"):
            times = values if kind == "date" else [_instant(one) for one in values]
            return pandas.Series(pandas.to_datetime(times, utc=kind == "date-time"))
        return pandas.Series(values, dtype="object")

    return pandas.DataFrame({name: series(*column) for name, column in columns.items()})


def to_polars(columns: Dict[str, Column]) -> polars.DataFrame:
    import polars  # pyright: ignore[reportMissingImports]

    def series(name: str, kind: str, values: List[Any]) -> Any:
        if kind == "number":
            numbers = [None if one is None else float(one) for one in values]
            return polars.Series(name, numbers, dtype=polars.Float64)
        if kind == "date":
            return polars.Series(name, values, dtype=polars.String).str.to_date("%Y-%m-%d")
        if kind == "date-time":
            return polars.Series(name, [_instant(one) for one in values], dtype=polars.Datetime("ms", "UTC"))
        dtypes = {"count": polars.Int64, "flag": polars.Boolean, "text": polars.String}
        return polars.Series(name, values, dtype=dtypes.get(kind), strict=False)

    return polars.DataFrame([series(name, *column) for name, column in columns.items()])
