"""LiteLLM's library with its callback for OpenTelemetry."""

import time

import calls
import reporting

import litellm

litellm.suppress_debug_info = True
litellm.callbacks = ["otel"]
asked = {"messages": calls.message, "num_retries": 0}
with reporting.attributed():
    litellm.completion(model="openai/gpt-4o", **asked)
    calls.read(litellm.completion(model="openai/gpt-4o", stream=True, stream_options={"include_usage": True}, **asked))
    litellm.completion(model=f"anthropic/{calls.claude}", api_base=reporting.url, **asked)
    calls.refused(lambda: litellm.completion(model="openai/gpt-4o", messages=calls.failing, num_retries=0))
time.sleep(2)
reporting.finish()
