"""CrewAI by OpenInference's instrumentations of it and of OpenAI's client."""

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

import calls
import reporting

spans = reporting.opentelemetry()
CrewAIInstrumentor().instrument(tracer_provider=spans)
OpenAIInstrumentor().instrument(tracer_provider=spans)


def kick_off(prompt: str, stream: bool) -> None:
    model = LLM(model="openai/gpt-4o", base_url=f"{reporting.url}/v1", stream=stream)
    agent = Agent(role="helper", goal="help", backstory="none", llm=model, tools=[tool(calls.look)], max_retry_limit=0)
    Crew(agents=[agent], tasks=[Task(description=prompt, expected_output="a word", agent=agent)]).kickoff()


with reporting.openinference():
    kick_off(calls.secret, stream=False)
    kick_off(calls.secret, stream=True)
    kick_off(f"RETRY {calls.secret}", stream=False)
    calls.refused(lambda: kick_off(f"FAIL {calls.secret}", stream=False))
reporting.finish()
