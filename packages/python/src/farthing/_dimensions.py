# Written by scripts/generate-sdk-api.ts; changes here are lost.
dimensions = ("customer", "user", "feature", "run")
