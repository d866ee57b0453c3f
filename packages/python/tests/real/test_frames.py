"""Rows as frames of the real pandas and polars (D35.3)."""

from __future__ import annotations

import json
import os
import sys
import unittest
from datetime import date
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import pandas
import polars
from test_api import Api, page

costs = [
    {"date_from": "2026-01-01", "date_to": "2026-01-01", "customer": "", "cost": 2},
    {"date_from": "2026-01-02", "date_to": "2026-01-02", "customer": "acme", "cost": 0.1},
    {"date_from": "2026-01-02", "date_to": "2026-01-02", "customer": "NA", "cost": 0.25},
]
call = {"event_id": "a", "time": "2026-01-01T10:00:00.120Z", "elapsed_ms": 5, "cost": 1, "tags": {"plan": "pro"}}


class Frames(unittest.TestCase):
    def ask(self, *rows: Any) -> Any:
        api = Api(*[(200, page(*rows))] * 2)
        self.addCleanup(api.close)
        return api.client()

    def test_pandas_groups_every_row_and_takes_money_as_numbers(self) -> None:
        frame = self.ask(*costs).costs(date_from="2026-01-01").to_pandas()
        self.assertAlmostEqual(frame.groupby("customer")["cost"].sum().sum(), 2.35)
        self.assertEqual(sorted(frame["customer"]), ["", "NA", "acme"])
        self.assertAlmostEqual(frame["cost"].quantile(0.5), 0.25)
        self.assertAlmostEqual((frame["cost"] * 2).sum(), 4.7)
        self.assertEqual(str(frame["date_from"].dt.day_name()[0]), "Thursday")

    def test_pandas_has_times_with_their_zone_and_counts_with_gaps(self) -> None:
        frame = (
            self.ask(call, {**call, "time": "2026-01-01T10:00:00Z", "elapsed_ms": None})
            .calls(date_from="2026-01-01", row={"date_from": "2026-01-01", "date_to": "2026-01-01"})
            .to_pandas()
        )
        self.assertEqual(str(frame["time"].dt.tz), "UTC")
        self.assertEqual(int(frame["elapsed_ms"].sum()), 5)
        self.assertEqual(frame["tags"][0], {"plan": "pro"})

    def test_an_empty_answer_is_an_empty_frame_with_its_columns(self) -> None:
        asked: Any = {"date_from": "2026-01-01", "group_by": "customer"}
        empty, filled = self.ask().costs(**asked).to_pandas(), self.ask(*costs).costs(**asked).to_pandas()
        self.assertEqual((len(empty), empty["cost"].sum(), len(empty.groupby("customer")["cost"].sum())), (0, 0, 0))
        self.assertEqual(list(empty["date_from"].dt.day_name()), [])
        self.assertEqual([one.kind for one in empty.dtypes], [one.kind for one in filled.dtypes])
        self.assertEqual(list(empty), list(filled))
        row = {"date_from": "2026-01-01", "date_to": "2026-01-01"}
        calls = self.ask().calls(date_from="2026-01-01", row=row)
        self.assertEqual(str(calls.to_pandas()["time"].dt.tz), "UTC")
        of_polars = self.ask().costs(**asked).to_polars()
        self.assertEqual((len(of_polars), of_polars["cost"].sum()), (0, 0))
        self.assertEqual(of_polars.schema, self.ask(*costs).costs(**asked).to_polars().schema)
        self.assertEqual(calls.to_polars()["time"].dtype, polars.Datetime("ms", "UTC"))

    def test_polars(self) -> None:
        frame = self.ask(*costs).costs(date_from="2026-01-01").to_polars()
        self.assertAlmostEqual(frame.group_by("customer").agg(polars.col("cost").sum())["cost"].sum(), 2.35)
        self.assertEqual(frame["date_from"][0], date(2026, 1, 1))
        calls = self.ask(call).calls(date_from="2026-01-01", row={"date_from": "2026-01-01", "date_to": "2026-01-01"})
        self.assertEqual(calls.to_polars()["time"].dtype, polars.Datetime("ms", "UTC"))


if __name__ == "__main__":
    print(json.dumps({"pandas": pandas.__version__, "polars": polars.__version__}))
    unittest.main()
