"""Google's Agent Development Kit with its own spans."""

import asyncio

import calls
import reporting
from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.genai import types

reporting.opentelemetry()


async def run() -> None:
    runner = InMemoryRunner(LlmAgent(name="helper", model="gemini-2.5-flash", tools=[calls.look]), app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id=reporting.user)
    message = types.Content(role="user", parts=[types.Part(text=calls.secret)])
    async for _event in runner.run_async(user_id=reporting.user, session_id=session.id, new_message=message):
        pass


with reporting.attributed():
    asyncio.run(run())
reporting.finish()
