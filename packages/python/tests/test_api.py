"""Typed questions (D35.3): what is asked, and what the answers become."""

from __future__ import annotations

import json
import os
import sys
import unittest
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any, Dict, List, Tuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from support import Quiet, Server

from farthing.api import FarthingApi, FarthingError, routes
from farthing.api._frames import to_columns
from farthing.api._reading import reader_of

Asked = Tuple[str, str, Dict[str, str], Any]


def page(*rows: Dict[str, Any], cursor: str = "") -> str:
    return json.dumps({"rows": rows, "next_cursor": cursor or None, "has_more": cursor != ""})


class Api(Server):
    """Answers one after the other, and keeps what was asked."""

    def __init__(self, *replies: Tuple[int, str]) -> None:
        self.asked: List[Asked] = []
        api, waiting = self, list(replies)

        class Handler(Quiet):
            def do_POST(self) -> None:
                body = self.body()
                api.asked.append((self.command, self.path, dict(self.headers), json.loads(body) if body else None))
                status, text = waiting.pop(0)
                self.reply(status, text.encode(), Retry_After="0")

            do_PUT = do_DELETE = do_POST  # noqa: N815 The names that the server calls.

        super().__init__(Handler)

    def client(self) -> FarthingApi:
        return FarthingApi(f"{self.url}/", "fk_x")


class Questions(unittest.TestCase):
    def open(self, *replies: Tuple[int, str]) -> Tuple[Api, FarthingApi]:
        api = Api(*replies)
        self.addCleanup(api.close)
        return api, api.client()

    def test_pages_are_rows_and_money_is_exact(self) -> None:
        first, second = {"date_from": "2026-01-01", "date_to": "2026-01-31", "customer": "", "cost": 2}, {"cost": 0.1}
        api, client = self.open((200, page(first, cursor="next")), (200, page(second)))
        rows = list(client.costs(date_from=date(2026, 1, 1), group_by="customer", customers=["a"], limit=1))
        self.assertEqual([row["cost"] for row in rows], [Decimal(2), Decimal("0.1")])
        self.assertTrue(all(type(row["cost"]) is Decimal for row in rows))
        asked = {"date_from": "2026-01-01", "group_by": "customer", "customers": ["a"], "limit": 1}
        self.assertEqual([one[3] for one in api.asked], [asked, {**asked, "cursor": "next"}])
        self.assertEqual([one[:2] for one in api.asked], [("POST", "/api/costs/")] * 2)

    def test_queries_names_and_times(self) -> None:
        at = datetime(2026, 1, 1, tzinfo=timezone.utc)
        api, client = self.open((200, page()), (200, "{}"), (204, ""), (200, page()))
        client.events(from_=at, to=None, limit=5).first()
        client.model_price("a/b c?")
        self.assertIsNone(client.delete_key_metric("é"))
        client.customers(search="x&y", consistency="relaxed").first()
        self.assertEqual(
            [one[1] for one in api.asked],
            [
                "/api/events/?from=2026-01-01T00%3A00%3A00%2B00%3A00&limit=5",
                "/api/models/a%2Fb%20c%3F/price/",
                "/api/key-metrics/%C3%A9/",
                "/api/customers/?search=x%26y",
            ],
        )
        self.assertEqual(api.asked[3][2]["Farthing-Consistency"], "relaxed")
        self.assertEqual(api.asked[0][2]["Authorization"], "Bearer fk_x")
        with self.assertRaisesRegex(ValueError, "timezone"):
            client.events(from_=datetime(2026, 1, 1)).first()

    def test_amounts_are_sent_as_they_are(self) -> None:
        api, client = self.open((200, "{}"))
        long = Decimal("0.12345678901234567890")
        client.post_prices(model="m", input_per_mtok=long, output_per_mtok=Decimal("1.5"), units={"images": 2})
        self.assertEqual(
            api.asked[0][3],
            {"model": "m", "input_per_mtok": str(long), "output_per_mtok": 1.5, "units": {"images": 2}},
        )

    def test_refusals_name_every_fault_and_busy_services_are_asked_again(self) -> None:
        fault = {"pointer": "/limit", "code": "out_of_range", "message": "must be at least 1"}
        problem = {"detail": "One fault.", "code": "invalid_body", "request_id": "r", "errors": [fault]}
        api, client = self.open((503, "{}"), (429, ""), (400, json.dumps(problem)), (502, "<html>"))
        with self.assertRaises(FarthingError) as refused:
            client.costs(date_from="2026-01-01", limit=0).first()
        error = refused.exception
        self.assertEqual(
            (str(error), error.status, error.code, error.request_id), ("One fault.", 400, "invalid_body", "r")
        )
        self.assertEqual([one._asdict() for one in error.errors], [fault])
        with self.assertRaises(FarthingError) as broken:
            client.project()
        self.assertEqual((broken.exception.status, broken.exception.code), (502, "unknown"))
        self.assertEqual(len(api.asked), 4)

    def test_settings_are_needed(self) -> None:
        with self.assertRaisesRegex(TypeError, "FARTHING_URL"):
            FarthingApi(api_key="fk_x")


class Reading(unittest.TestCase):
    def test_every_type_of_an_answer_can_be_read(self) -> None:
        answers = [name for name in dir(routes) if name.endswith("Answer")]
        self.assertGreater(len(answers), 50)
        for name in answers:
            read = reader_of(getattr(routes, name))
            if read is not None:
                self.assertEqual(read({"rows": None}), {"rows": None})

    def test_columns_keep_empty_names_and_split_objects(self) -> None:
        rows = [
            {"date_from": "2026-01-01", "customer": "", "calls": 2, "tokens": {"input": 1, "output": 2}, "new": [1]},
            {"date_from": "2026-01-02", "customer": "acme", "calls": 3, "tokens": {"input": 3, "output": 4}},
        ]
        columns = to_columns(rows, routes.UsageAnswer)
        self.assertEqual(columns["customer"], ("text", ["", "acme"]))
        self.assertEqual(columns["date_from"], ("date", ["2026-01-01", "2026-01-02"]))
        self.assertEqual(columns["calls"], ("count", [2, 3]))
        self.assertEqual(columns["tokens.output"], ("count", [2, 4]))
        self.assertEqual(columns["new"], ("other", [[1], None]))

    def test_an_answer_without_rows_has_the_columns_of_the_question(self) -> None:
        empty = to_columns([], routes.CostsAnswer, "customer")
        self.assertEqual(
            (empty["cost"], empty["customer"], empty["date_from"]), (("number", []), ("text", []), ("date", []))
        )
        self.assertNotIn("feature", empty)
        self.assertIn("tag", to_columns([], routes.UsageAnswer, "customer_tag:plan"))
        self.assertEqual(to_columns([], routes.UsageAnswer)["tokens.input"], ("count", []))
        self.assertEqual(to_columns([], routes.CallsAnswer)["time"], ("date-time", []))
        # A field of the rows that is null in all of them is there too.
        row = {"customer": "a", "cost_per_customer": None}
        self.assertEqual(to_columns([row], routes.PlansAnswer)["cost_per_customer.p50"], ("number", [None]))


if __name__ == "__main__":
    unittest.main()
