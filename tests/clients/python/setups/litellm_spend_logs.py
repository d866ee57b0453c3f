"""The rows of spend logs of LiteLLM's proxy alone, as they are imported."""

import gateway

gateway.run(["gateway.rows"])
