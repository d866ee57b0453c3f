"""Langfuse's client of OpenAI and its handler of LangChain."""

import calls
import reporting
from langfuse import get_client, propagate_attributes
from langfuse.langchain import CallbackHandler
from langfuse.openai import AsyncOpenAI, OpenAI

client = get_client()
with propagate_attributes(
    user_id=reporting.user, metadata={"customer": reporting.customer, "feature": reporting.feature}
):
    calls.openai(OpenAI, AsyncOpenAI)
    calls.openai_responses(OpenAI)
    calls.langchain({"callbacks": [CallbackHandler()]})
client.flush()
