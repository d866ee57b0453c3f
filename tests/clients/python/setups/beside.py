"""The package of this repository beside another tool on the same clients, of which BESIDE names one."""

import os

import calls
import reporting


def openinference() -> None:
    from openinference.instrumentation.anthropic import AnthropicInstrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    spans = reporting.opentelemetry()
    OpenAIInstrumentor().instrument(tracer_provider=spans)
    AnthropicInstrumentor().instrument(tracer_provider=spans)


def genai() -> None:
    from opentelemetry.instrumentation.genai.anthropic import AnthropicInstrumentor
    from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

    reporting.opentelemetry()
    OpenAIInstrumentor().instrument()
    AnthropicInstrumentor().instrument()


def logfire() -> None:
    import logfire

    logfire.configure(send_to_logfire=False, console=False)
    logfire.instrument_openai()
    logfire.instrument_anthropic()


def traceloop() -> None:
    from traceloop.sdk import Traceloop

    Traceloop.init(app_name="app", api_endpoint=f"{reporting.url}/otlp", headers={}, telemetry_enabled=False)
    Traceloop.set_association_properties(reporting.who)


globals()[os.environ["BESIDE"]]()
farthing = reporting.package()
who = {"customer": reporting.customer, "user": reporting.user, "feature": reporting.feature}
with farthing.attribute(**who), reporting.attributed():
    calls.openai(wrap=farthing.wrap)
    calls.openai_responses(wrap=farthing.wrap)
    calls.openai_embeddings(wrap=farthing.wrap)
    calls.anthropic(wrap=farthing.wrap)
farthing.flush()
reporting.finish()
