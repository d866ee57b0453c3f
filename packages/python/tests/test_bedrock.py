"""Clients of Bedrock's runtime, with the stand-in for `botocore`; `tests/real` has more with the real package."""

from __future__ import annotations

import gc
import os
import sys
import unittest
import unittest.mock
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "standins"))

from botocore.client import BaseClient, ClientError
from support import Asking, answers, free_port

import farthing

nova = "us.amazon.nova-pro-v1:0"


class Bedrock(Asking):
    def client(self, manner: str = "ok") -> Any:
        return self.farthing.wrap(BaseClient(self.provider.at("bedrock", manner)))

    def test_each_operation_is_one_call_with_the_providers_usage(self) -> None:
        client = self.farthing.wrap(self.client())
        with farthing.attribute(customer="acme"):
            client.call("Converse", modelId=nova)
            list(client.call("ConverseStream", modelId=nova)["stream"])
            client.call("InvokeModel", modelId="us.anthropic.claude")["body"].read()
            list(client.call("InvokeModelWithResponseStream", modelId="us.anthropic.claude")["body"])
        after = self.outcomes(4)
        self.assertEqual(
            [(event["event_type"], event["model"], event["provider"], event["tags"]) for event in after],
            [("bedrock.converse.after", nova, "aws", {"customer": "acme"})] * 2
            + [("bedrock.invoke.after", "us.anthropic.claude", "aws", {"customer": "acme"})] * 2,
        )
        self.assertEqual([event["response"]["usage"] for event in after[:2]], [answers.converse_usage] * 2)
        self.assertEqual(after[2]["response"]["usage"], answers.messages_usage)
        self.assertEqual(after[3]["response"]["usage"]["output_tokens"], answers.messages_usage["output_tokens"])
        self.assertEqual([event for event in after if "aborted" in event], [])
        self.assertNotIn("secret", str(self.intake.events))
        self.assertEqual(self.told, [])

    def test_an_arn_gives_way_to_the_answers_model(self) -> None:
        self.client().call("InvokeModel", modelId="arn:aws:bedrock:us-east-1:1:p")["body"].read()
        self.assertEqual(self.outcomes(1)[0]["model"], "claude")

    def test_a_body_in_pieces_and_one_that_is_not_read(self) -> None:
        client = self.client()
        body = client.call("InvokeModel", modelId="amazon.titan-embed-text-v2:0")["body"]
        while body.read(4):
            pass
        client.call("InvokeModel", modelId="us.anthropic.claude")
        gc.collect()
        self.assertEqual(
            [event["response"]["usage"] for event in self.outcomes(2)], [{"inputTokens": 5, "outputTokens": 0}] * 2
        )

    def test_refusals_and_failures(self) -> None:
        with self.assertRaises(ClientError):
            self.client("limited").call("Converse", modelId=nova)
        with self.assertRaises(ConnectionError):
            self.farthing.wrap(BaseClient(f"http://127.0.0.1:{free_port()}")).call("Converse", modelId=nova)
        list(self.client("failing").call("ConverseStream", modelId=nova)["stream"])
        self.assertEqual(
            [(event["error_type"], event.get("status")) for event in self.outcomes(3)],
            [("ThrottlingException", 429), ("ConnectionRefusedError", None), ("throttlingException", None)],
        )

    def test_a_stream_that_is_closed_or_forgotten_is_aborted(self) -> None:
        client = self.client("endless")
        kept = client.call("ConverseStream", modelId=nova)["stream"]
        next(iter(kept))
        kept.close()
        client.call("ConverseStream", modelId=nova)
        gc.collect()
        self.assertEqual([event.get("aborted") for event in self.outcomes(2)], [True, True])

    def test_a_fault_of_the_package_never_reaches_the_host(self) -> None:
        import farthing._bedrock as bedrock
        import farthing._streams as streams
        from farthing._call import Call
        from farthing._reading import Reading

        def broken(*_args: object, **_kwargs: object) -> Any:
            raise RuntimeError("broken")

        def see(client: Any) -> Any:
            return [
                client.call("Converse", modelId=nova),
                list(client.call("ConverseStream", modelId=nova)["stream"]),
                client.call("InvokeModel", modelId=nova)["body"].read(),
            ]

        expected = see(BaseClient(self.provider.at("bedrock")))
        places = [
            (bedrock, "is_runtime"),
            (bedrock, "watch"),
            (bedrock, "begin_call"),
            (bedrock, "_answer"),
            (bedrock, "_counts"),
            (Call, "end"),
            (Call, "_send"),
            (Reading, "take"),
            (streams.Tap, "_note"),
            (streams.Tap, "_finish"),
            (streams.Messages, "feed"),
            (streams.Whole, "end"),
        ]
        for owner, name in places:
            with self.subTest(name), unittest.mock.patch.object(owner, name, broken):
                self.assertEqual(see(self.client()), expected)
                with self.assertRaises(ClientError):
                    self.client("limited").call("Converse", modelId=nova)

    def test_a_client_of_another_service_is_told(self) -> None:
        client = BaseClient(self.provider.url, "bedrock-agent-runtime")
        self.assertIs(self.farthing.wrap(client), client)
        self.assertEqual(self.told.codes, ["unknown_client"])


if __name__ == "__main__":
    unittest.main()
