"""CrewAI by OpenInference's instrumentations of it and of OpenAI's client."""

import calls
import reporting
from crewai import LLM, Agent, Crew, Task
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

spans = reporting.opentelemetry()
CrewAIInstrumentor().instrument(tracer_provider=spans)
OpenAIInstrumentor().instrument(tracer_provider=spans)
model = LLM(model="openai/gpt-4o", base_url=f"{reporting.url}/v1")
agent = Agent(role="helper", goal=calls.secret, backstory="none", llm=model)
with reporting.openinference():
    Crew(agents=[agent], tasks=[Task(description=calls.secret, expected_output="a word", agent=agent)]).kickoff()
reporting.finish()
