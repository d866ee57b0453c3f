"""The package's handler of LangChain beside Langfuse's, with several streams at once."""

from langfuse import get_client, propagate_attributes
from langfuse.langchain import CallbackHandler

import calls
import reporting

farthing = reporting.package()
from farthing.langchain import Handler  # noqa: E402

client = get_client()
who = {"customer": reporting.customer, "user": reporting.user, "feature": reporting.feature}
with farthing.attribute(**who), propagate_attributes(user_id=reporting.user, metadata=reporting.who):
    calls.langchain_streams({"callbacks": [CallbackHandler(), Handler()]}, at_once=4)
farthing.flush()
client.flush()
