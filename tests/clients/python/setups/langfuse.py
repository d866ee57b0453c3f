"""Langfuse's client of OpenAI and its handler of LangChain, by Langfuse's three variables alone."""

from langfuse import get_client, propagate_attributes
from langfuse.langchain import CallbackHandler
from langfuse.openai import AsyncOpenAI, OpenAI

import calls
import reporting

client = get_client()
who = {"customer": reporting.customer, "feature": reporting.feature}
with propagate_attributes(user_id=reporting.user, metadata=who):
    calls.openai(OpenAI, AsyncOpenAI)
    calls.openai_responses(OpenAI, AsyncOpenAI)
    calls.openai_embeddings(OpenAI)
    calls.langchain({"callbacks": [CallbackHandler()]}, ["responses", "anthropic"])
client.flush()
