"""Asks with generated clients, and reads the files as the documentation says."""

from __future__ import annotations

import json
import os
import urllib.request
from datetime import date
from io import BytesIO, StringIO
from typing import Any

import duckdb
import pandas  # type: ignore[import-untyped]
import polars
from farthing_client import AuthenticatedClient
from farthing_client.api.analytics import costs, costs_file
from farthing_client.models import CostsAnswer, CostsBody, CostsFileBody, CostsGroupBy, Format, Problem
from models import CostsBody as CostsModel

url, key = os.environ["FARTHING_URL"], os.environ["FARTHING_API_KEY"]
client = AuthenticatedClient(base_url=url, token=key)
asked: Any = {"date_from": date(2024, 5, 1), "date_to": date(2024, 5, 31), "group_by": CostsGroupBy.CUSTOMER}

answer = costs.sync(client=client, body=CostsBody(**asked))
assert isinstance(answer, CostsAnswer), answer
assert [row.customer for row in answer.rows] == ["", "NA", "acme"], answer
refusal = costs.sync(client=AuthenticatedClient(base_url=url, token="fk_wrong"), body=CostsBody(**asked))
assert isinstance(refusal, Problem) and refusal.status == 401, refusal


def file(kind: Format) -> bytes:
    got = costs_file.sync_detailed(client=client, body=CostsFileBody(**asked), format_=kind)
    assert got.status_code == 200, got
    return got.content


text, parquet = file(Format.CSV).decode(), file(Format.PARQUET)
assert len(file(Format.NDJSON).splitlines()) == 3
frame = pandas.read_csv(StringIO(text), keep_default_na=False, na_values=[""]).fillna({"customer": ""})
assert list(frame.groupby("customer")["cost"].sum().index) == ["", "NA", "acme"], frame
exact = pandas.read_parquet(BytesIO(parquet)).astype({"cost": float})
assert abs(exact["cost"].quantile(0.5) - 0.1) < 1e-12, exact
lazy = polars.read_parquet(BytesIO(parquet)).with_columns(polars.selectors.decimal().cast(float))
assert lazy["cost"].dtype == polars.Float64 and abs(float(lazy["cost"].sum()) - 0.3) < 1e-12, lazy
with open("costs.parquet", "wb") as written:
    written.write(parquet)
[(total,)] = duckdb.execute("SELECT sum(cost) FROM 'costs.parquet'").fetchall()
assert str(total) == "0.300000000000000000", total

# A model of the other generator writes null for each field that is not given.
body = CostsModel.model_validate({"date_from": "2024-05-01", "date_to": "2024-05-31"}).model_dump_json().encode()
assert b"null" in body, body


def post(path: str) -> bytes:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url + path, body, headers)) as got:
        return bytes(got.read())


assert json.loads(post("/api/costs/"))["rows"]
assert post("/api/costs/?format=csv").startswith(b"date_from")
assert post("/api/costs/?format=parquet").startswith(b"PAR1")

# Times have their zone.
calls = urllib.request.Request(
    f"{url}/api/files/calls/?format=parquet",
    json.dumps(
        {
            "date_from": "2024-05-01",
            "date_to": "2024-05-31",
            "row": {"date_from": "2024-05-01", "date_to": "2024-05-31"},
        }
    ).encode(),
    {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(calls) as got, open("calls.parquet", "wb") as written:
    written.write(got.read())
dtype = polars.read_parquet("calls.parquet")["time"].dtype
assert dtype == polars.Datetime("ms", "UTC"), dtype
[(kind,)] = duckdb.execute("SELECT typeof(time) FROM 'calls.parquet' LIMIT 1").fetchall()
assert kind == "TIMESTAMP WITH TIME ZONE", kind
assert str(pandas.read_parquet("calls.parquet")["time"].dt.tz) == "UTC"
