"""Typed questions to Farthing.

from farthing.api import FarthingApi

api = FarthingApi()  # FARTHING_URL, FARTHING_API_KEY
for row in api.costs(date_from="2026-11-01", group_by="customer"):
    print(row["customer"], row["cost"])
frame = api.costs(date_from="2026-11-01", group_by="customer").to_pandas()
"""

from __future__ import annotations

from . import routes
from ._client import Pages
from ._error import FarthingError, Fault
from .routes import FarthingApi

__all__ = ["FarthingApi", "FarthingError", "Fault", "Pages", "routes"]
