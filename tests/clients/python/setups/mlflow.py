"""MLflow's tracing of OpenAI's and Anthropic's clients, exported over OpenTelemetry."""

import calls
import reporting

import mlflow

mlflow.openai.autolog()
mlflow.anthropic.autolog()
calls.openai()
calls.anthropic(helper=False)
mlflow.flush_trace_async_logging()
reporting.finish()
