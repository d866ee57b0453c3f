"""The package against the real `boto3`, of whatever version is installed."""

from __future__ import annotations

import gc
import io
import json
import os
import sys
import unittest
from typing import Any

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.abspath(__file__))]

import boto3
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError, EventStreamError, ParamValidationError
from botocore.response import StreamingBody
from botocore.stub import Stubber
from same import differences
from support import Asking, answers, free_port

import farthing

asked = {"modelId": "amazon.nova-pro-v1:0", "messages": [{"role": "user", "content": [{"text": "hi"}]}]}
claude = {"modelId": "anthropic.claude-opus-4-8", "body": json.dumps({"messages": [], "max_tokens": 9})}
titan = {"modelId": "amazon.titan-embed-text-v2:0", "body": json.dumps({"inputText": "hi"})}


def lines_of(client: Any) -> Any:
    return list(client.invoke_model(**claude)["body"].iter_lines())


def pieces_of(client: Any) -> Any:
    body = client.invoke_model(**claude)["body"]
    return [body.read(7), body.read(9), body.read()]


def into(client: Any) -> Any:
    buffer = bytearray(4096)
    size = client.invoke_model(**claude)["body"].readinto(buffer)
    return bytes(buffer[:size])


def exactly(client: Any) -> Any:
    answer = client.invoke_model(**claude)
    return answer["body"].read(int(answer["ResponseMetadata"]["HTTPHeaders"]["content-length"]))


def within(client: Any) -> Any:
    with client.invoke_model(**claude)["body"] as body:
        return body.read()


uses = {
    "converse": lambda client: client.converse(**asked),
    "converse_stream": lambda client: list(client.converse_stream(**asked)["stream"]),
    "converse_stream's answer": lambda client: client.converse_stream(**asked),
    "invoke": lambda client: json.load(client.invoke_model(**claude)["body"]),
    "invoke by lines": lines_of,
    "invoke by pieces": pieces_of,
    "invoke into": into,
    "invoke exactly": exactly,
    "invoke within": within,
    "invoke without usage": lambda client: client.invoke_model(**titan)["body"].read(),
    "invoke's answer": lambda client: client.invoke_model(**claude),
    "invoke stream": lambda client: list(client.invoke_model_with_response_stream(**claude)["body"]),
    "wrong": lambda client: client.converse(modelId=5),
    "not reported": lambda client: client.apply_guardrail(
        guardrailIdentifier="g", guardrailVersion="1", source="INPUT", content=[{"text": {"text": "hi"}}]
    ),
}


class WithBoto3(Asking, unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.session = boto3.Session(aws_access_key_id="a", aws_secret_access_key="s", region_name="us-east-1")

    def client(self, manner: str = "ok", attempts: int = 1, url: str = "") -> Any:
        config = Config(retries={"total_max_attempts": attempts, "mode": "standard"})
        address = url or self.provider.at("bedrock", manner)
        return self.session.client("bedrock-runtime", endpoint_url=address, config=config)

    async def test_the_host_gets_what_it_gets_without(self) -> None:
        manners = ["ok", "limited", "cut", "failing"]
        self.assertEqual(await differences(uses, manners, self.client, self.farthing.wrap), [])
        self.assertEqual(self.told.codes, ["not_reported"])

    def test_each_use_reports_each_call_once_with_its_usage(self) -> None:
        for name, use in uses.items():
            if name in ("wrong", "not reported") or name.endswith("answer"):
                continue
            self.intake.events.clear()
            use(self.farthing.wrap(self.farthing.wrap(self.client())))
            after = self.outcomes(1)[0]
            usage = after["response"]["usage"]
            self.assertNotIn("aborted", after, name)
            self.assertEqual(after["provider"], "aws")
            self.assertIn(after["model"], [one["modelId"] for one in (asked, claude, titan)])
            if "converse" in name:
                self.assertEqual((after["event_type"], usage), ("bedrock.converse.after", answers.converse_usage), name)
            elif "without" in name:
                self.assertEqual(usage, {"inputTokens": 5, "outputTokens": 0})
            else:
                self.assertEqual(
                    usage["cache_read_input_tokens"], answers.messages_usage["cache_read_input_tokens"], name
                )
        self.assertNotIn("secret", str(self.intake.events))
        self.assertEqual(self.told, [])

    def test_a_request_that_is_repeated_is_one_call(self) -> None:
        self.provider.bodies.clear()
        with farthing.attribute(customer="acme"):
            self.farthing.wrap(self.client("busy", attempts=3)).converse(**asked)
        self.assertEqual(len(self.provider.bodies), 2)
        self.assertEqual(self.outcomes(1)[0]["tags"], {"customer": "acme"})

    def test_errors_are_reported_and_raised(self) -> None:
        with self.assertRaises(ClientError):
            self.farthing.wrap(self.client("limited")).converse(**asked)
        with self.assertRaises(EndpointConnectionError):
            self.farthing.wrap(self.client(url=f"http://127.0.0.1:{free_port()}")).converse(**asked)
        with self.assertRaises(EventStreamError):
            list(self.farthing.wrap(self.client("failing")).converse_stream(**asked)["stream"])
        with self.assertRaises(ParamValidationError):
            uses["wrong"](self.farthing.wrap(self.client()))
        found = [(event["error_type"], event.get("status")) for event in self.outcomes(3)]
        self.assertEqual(
            found, [("ThrottlingException", 429), ("EndpointConnectionError", None), ("throttlingException", None)]
        )

    def test_a_stream_that_is_left_is_aborted(self) -> None:
        client = self.farthing.wrap(self.client("endless"))
        kept = client.converse_stream(**asked)["stream"]
        events = iter(kept)
        next(events)
        next(events)
        kept.close()
        client.converse_stream(**asked)
        del kept, events
        gc.collect()
        left = self.outcomes(2)
        self.assertEqual([event.get("aborted") for event in left], [True, True])
        self.assertEqual(left[0]["output_tokens"], 1)

    def test_a_body_that_is_not_read_has_the_counts_of_the_headers(self) -> None:
        self.farthing.wrap(self.client()).invoke_model(**claude)
        gc.collect()
        self.assertEqual(self.outcomes(1)[0]["response"]["usage"], {"inputTokens": 5, "outputTokens": 0})

    def test_an_answer_of_the_hosts_own_handler(self) -> None:
        client = self.farthing.wrap(self.client())
        given = (AWSResponse(None, 200, {}, None), {"body": StreamingBody(io.BytesIO(b"{}"), 2)})
        client.meta.events.register("before-call.bedrock-runtime", lambda **_: given)
        self.assertEqual(client.invoke_model(**claude)["body"].read(), b"{}")
        self.outcomes(1)
        self.assertEqual(self.told, [])

    def test_a_stubbed_client_answers_as_without(self) -> None:
        for first in (True, False):
            client = self.client()
            if first:
                self.farthing.wrap(client)
            stubber = Stubber(client)
            answer = {**answers.converse_answer}
            stubber.add_response("converse", answer, asked)
            with stubber:
                if not first:
                    self.farthing.wrap(client)
                self.assertEqual(client.converse(**asked), answer)
                body = {"body": StreamingBody(io.BytesIO(b"{}"), 2), "contentType": "application/json"}
                stubber.add_response("invoke_model", body, claude)
                self.assertEqual(client.invoke_model(**claude)["body"].read(), b"{}")
        self.assertEqual(self.told, [])


if __name__ == "__main__":
    unittest.main()
