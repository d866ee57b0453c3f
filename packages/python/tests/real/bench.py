"""What the package adds to a call: by turns with and without it, against an answer that is there at once.

python tests/real/bench.py [rounds]
"""

from __future__ import annotations

import json
import os
import sys
import time
from statistics import median
from typing import Any, Callable, Dict, List

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import openai
from answers import chat_answer, chat_chunks
from support import Intake, encode, reporting

import farthing

# Version 3 has a transport of its own kind.
httpx: Any = __import__("httpx2" if int(openai.__version__.partition(".")[0]) >= 3 else "httpx")
stream_body = b"".join(encode(chunk, False) for chunk in chat_chunks("gpt-5", True)) + b"data: [DONE]\n\n"


def answer(request: Any) -> Any:
    if json.loads(request.content).get("stream"):
        return httpx.Response(200, content=stream_body, headers={"content-type": "text/event-stream"})
    return httpx.Response(200, json=chat_answer("gpt-5"))


def client() -> Any:
    return openai.OpenAI(api_key="k", http_client=httpx.Client(transport=httpx.MockTransport(answer)))


chat = {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}
uses: Dict[str, Callable[[Any], object]] = {
    "create": lambda one: one.chat.completions.create(**chat),
    "stream": lambda one: list(
        one.chat.completions.create(**chat, stream=True, stream_options={"include_usage": True})
    ),
}


def at(values: List[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def main(rounds: int) -> None:
    intake = Intake()
    reporter, told = reporting(intake, delay_ms=200, max_queued=100_000)
    plain, wrapped = client(), reporter.wrap(client())
    for name, use in uses.items():
        took: Dict[str, List[float]] = {"without": [], "with": []}
        for _ in range(rounds):
            for way, one in (("without", plain), ("with", wrapped)):
                # Of this thread alone, so that what else the machine does counts less.
                started = time.thread_time()
                with farthing.attribute(customer="acme"):
                    use(one)
                took[way].append((time.thread_time() - started) * 1000)
        without, with_it = took["without"], took["with"]
        print(
            f"{name}: adds {median(with_it) - median(without):.3f} ms at the median, "
            f"{at(with_it, 0.99) - at(without, 0.99):.3f} ms at p99 "
            f"({median(without):.3f} and {at(without, 0.99):.3f} ms without)"
        )
    reporter.flush(60_000)
    print(f"{len(intake.events)} events of {4 * rounds}, {reporter.dropped} dropped, told: {told.codes}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3_000)
