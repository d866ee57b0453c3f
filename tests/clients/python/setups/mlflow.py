"""MLflow's autologging of OpenAI's client, exported as OpenTelemetry's variables say."""

import mlflow

import calls
import reporting

mlflow.openai.autolog()
who = {"farthing.customer": reporting.customer, "farthing.user": reporting.user, "farthing.feature": reporting.feature}
for ask in (calls.openai, calls.openai_responses, calls.openai_embeddings):
    with mlflow.start_span("handle", attributes=who):
        ask()
mlflow.flush_trace_async_logging()
