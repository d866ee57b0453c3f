"""Google's Agent Development Kit with its own spans."""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types

import calls
import reporting

reporting.opentelemetry()
model = Gemini(model="gemini-2.5-flash", retry_options=types.HttpRetryOptions(attempts=2, initial_delay=0.01))
runner = InMemoryRunner(LlmAgent(name="helper", model=model, tools=[calls.look]), app_name="app")


async def ask(text: str, mode: StreamingMode = StreamingMode.NONE) -> None:
    session = await runner.session_service.create_session(app_name="app", user_id=reporting.user)
    message = types.Content(role="user", parts=[types.Part(text=text)])
    asked = {"user_id": reporting.user, "session_id": session.id, "new_message": message}
    async for _event in runner.run_async(**asked, run_config=RunConfig(streaming_mode=mode)):
        pass


async def run() -> None:
    await ask(calls.secret)
    await ask(calls.secret, StreamingMode.SSE)
    await ask(f"RETRY {calls.secret}")
    try:
        await ask(f"FAIL {calls.secret}")
    except Exception as error:
        calls.expect_refusal(error)
    await asyncio.gather(*[ask(calls.secret) for _ in range(2)])


with reporting.attributed():
    asyncio.run(run())
reporting.finish()
