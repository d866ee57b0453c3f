"""LiteLLM's proxy, and what an application asks of it.

Its spend logs are in a database for which Prisma downloads programs. `rows` makes their rows by the proxy's own function,
and posts them as `/spend/logs` answers them, but for those of refused requests, which the proxy writes elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any, Dict, List
from uuid import uuid4

import calls
import reporting
from litellm.integrations.custom_logger import CustomLogger

provider = reporting.url
key = f"sk-{uuid4().hex}"


class Rows(CustomLogger):
    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        from fastapi.encoders import jsonable_encoder
        from litellm.proxy.spend_tracking.spend_tracking_utils import get_logging_payload

        row = get_logging_payload(kwargs, response_obj, start_time, end_time)
        body = json.dumps([jsonable_encoder(row)]).encode()
        urllib.request.urlopen(urllib.request.Request(f"{provider}/import/litellm", body)).close()

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        await self.async_log_success_event(kwargs, response_obj, start_time, end_time)


rows = Rows()


def configuration(callbacks: List[str]) -> Dict[str, Any]:
    def model(name: str, **further: str) -> Dict[str, Any]:
        return {"model_name": name.split("/")[-1].split("-")[0], "litellm_params": {"model": name, **further}}

    return {
        "model_list": [model("openai/gpt-4o"), model(f"anthropic/{calls.claude}"), model("openai/text-embedding-3-small")],
        "general_settings": {"master_key": key},
        "litellm_settings": {"callbacks": callbacks},
        "callback_settings": {
            "farthing": {
                "callback_type": "generic_api",
                "endpoint": f"{provider}/intake/5045c1bc/litellm/",
                "headers": {"Authorization": "Bearer fs_"},
            }
        },
    }


def run(callbacks: List[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        # JSON is YAML.
        path.write_text(json.dumps(configuration(callbacks)))
        command = [str(Path(sys.executable).parent / "litellm"), "--config", str(path), "--port", str(port)]
        proxy = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
        try:
            wait_for(f"http://127.0.0.1:{port}/health/liveliness", proxy)
            ask(f"http://127.0.0.1:{port}/v1")
            # It sends once a second.
            time.sleep(4)
        finally:
            proxy.terminate()
            proxy.wait()


def wait_for(url: str, proxy: subprocess.Popen[bytes]) -> None:
    while proxy.poll() is None:
        try:
            urllib.request.urlopen(url).close()
            return
        except OSError:
            time.sleep(0.5)
    raise RuntimeError(f"the proxy ended with {proxy.returncode}")


def ask(url: str) -> None:
    from openai import AsyncOpenAI, OpenAI

    at: Any = {"base_url": url, "api_key": key, "max_retries": 0}
    client, later = OpenAI(**at), AsyncOpenAI(**at)
    who: Any = {
        "user": reporting.customer,
        "extra_body": {"metadata": {"user_id": reporting.user, "feature": reporting.feature, "tags": ["plan:pro"]}},
    }
    chat = client.chat.completions.create
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    for model in ("gpt", "claude"):
        chat(model=model, messages=calls.message, **who)
        calls.read(chat(model=model, messages=calls.message, stream=True, stream_options={"include_usage": True}, **who))
        chat(model=model, messages=calls.message, tools=[tool], **who)
        calls.refused(lambda model=model: chat(model=model, messages=calls.failing, **who))
    client.embeddings.create(model="text", input=[calls.secret], **who)
    client.responses.create(model="gpt", input=calls.secret, **who)

    async def two() -> None:
        asked = {"model": "gpt", "messages": calls.message, **who}
        await asyncio.gather(*[later.chat.completions.create(**asked) for _ in range(2)])

    asyncio.run(two())
