"""LiteLLM's proxy with the configuration of the page, and the rows that it would write to its spend logs."""

import gateway

gateway.run(["farthing", "gateway.rows"])
