"""The lines of the page: OpenTelemetry's distribution with OpenLLMetry's instrumentation of OpenAI's client, by variables alone."""

import calls

calls.openai()
calls.openai_responses()
calls.openai_embeddings()
