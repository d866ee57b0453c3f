"""Answers in the shapes in which the providers give them, with the usage of each. Counts are made up."""

from __future__ import annotations

from typing import Any, Dict, List

Json = Dict[str, Any]

chat_usage: Json = {
    "prompt_tokens": 2006,
    "completion_tokens": 300,
    "total_tokens": 2306,
    "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 16},
    "completion_tokens_details": {"reasoning_tokens": 128, "audio_tokens": 20},
}


def chat_answer(model: str) -> Json:
    message = {"role": "assistant", "content": '{"n":1}', "refusal": None, "annotations": []}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1790000000,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": chat_usage,
        "service_tier": "flex",
    }


def chat_chunks(model: str, asks: bool) -> List[Json]:
    """With `asks` each chunk has the field `usage`, and one more comes last."""

    def chunk(delta: Json, finish: Any = None) -> Json:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1790000000,
            "model": model,
            "service_tier": "flex",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
            **({"usage": None} if asks else {}),
        }

    chunks = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": '{"n":'}),
        chunk({"content": "1}"}),
        chunk({}, "stop"),
    ]
    return [*chunks, {**chunk({}), "choices": [], "usage": chat_usage}] if asks else chunks


responses_usage: Json = {
    "input_tokens": 1200,
    "input_tokens_details": {"cached_tokens": 1024},
    "output_tokens": 500,
    "output_tokens_details": {"reasoning_tokens": 320},
    "total_tokens": 1700,
}


def responses_answer(model: str) -> Json:
    message = {"type": "output_text", "text": '{"n":1}', "annotations": []}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1790000000,
        "status": "completed",
        "error": None,
        "model": model,
        "output": [
            {
                "id": "ws_1",
                "type": "web_search_call",
                "status": "completed",
                "action": {"type": "search", "query": "a secret"},
            },
            {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [message]},
        ],
        "parallel_tool_calls": True,
        "service_tier": "default",
        "tool_choice": "auto",
        "tools": [],
        "usage": responses_usage,
    }


def responses_events(model: str) -> List[Json]:
    answer = responses_answer(model)
    begun = {**answer, "status": "in_progress", "output": [], "usage": None}
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    message = {"id": "msg_1", "type": "message", "status": "in_progress", "role": "assistant", "content": []}
    events: List[Json] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": message},
        {"type": "response.content_part.added", **at, "part": part},
        {"type": "response.output_text.delta", **at, "delta": '{"n":1}', "logprobs": []},
        {"type": "response.output_text.done", **at, "text": '{"n":1}', "logprobs": []},
        {"type": "response.completed", "response": answer},
    ]
    return [{**event, "sequence_number": index} for index, event in enumerate(events)]


messages_usage: Json = {
    "input_tokens": 21,
    "cache_creation_input_tokens": 1500,
    "cache_read_input_tokens": 3000,
    "cache_creation": {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 500},
    "output_tokens": 393,
    "server_tool_use": {"web_search_requests": 2},
    "service_tier": "standard",
}


def messages_answer(model: str) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": '{"n":1}'}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": messages_usage,
    }


messages_first_usage: Json = {
    **{name: value for name, value in messages_usage.items() if name != "server_tool_use"},
    "output_tokens": 4,
}


def messages_events(model: str) -> List[Json]:
    """Half of the usage stands in the first event, the rest in the last but one."""
    begun = {**messages_answer(model), "content": [], "stop_reason": None, "usage": messages_first_usage}
    last = {
        "output_tokens": messages_usage["output_tokens"],
        "input_tokens": None,
        "server_tool_use": {"web_search_requests": 2},
    }
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": '{"n":'}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "1}"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": last},
        {"type": "message_stop"},
    ]


def embeddings_answer(model: str) -> Json:
    data = [{"object": "embedding", "index": 0, "embedding": [0.25, -0.5]}]
    usage = {"prompt_tokens": 37, "total_tokens": 37}
    return {"id": "emb_1", "object": "list", "data": data, "model": model, "usage": usage}


images_answer: Json = {
    "created": 1790000000,
    "data": [{"b64_json": "aGk="}],
    "usage": {"input_tokens": 50, "output_tokens": 1056, "total_tokens": 1106},
}

transcription_answer: Json = {"text": "hi", "task": "transcribe", "language": "en", "duration": 12.5}


def batch_answer(status: str) -> Json:
    return {
        "id": "batch_1",
        "object": "batch",
        "endpoint": "/v1/responses",
        "completion_window": "24h",
        "created_at": 1790000000,
        "completed_at": 1790003600,
        "input_file_id": "file-1",
        "model": "gpt-5-2025-08-07",
        "status": status,
        "usage": {
            "input_tokens": 900,
            "output_tokens": 300,
            "total_tokens": 1200,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


message_batch: Json = {
    "id": "msgbatch_1",
    "type": "message_batch",
    "processing_status": "ended",
    "request_counts": {"processing": 0, "succeeded": 2, "errored": 0, "canceled": 0, "expired": 0},
    "ended_at": "2026-01-02T00:00:00Z",
    "created_at": "2026-01-01T00:00:00Z",
    "expires_at": "2026-01-03T00:00:00Z",
    "archived_at": None,
    "cancel_initiated_at": None,
    "results_url": None,
}


converse_usage: Json = {
    "inputTokens": 40,
    "outputTokens": 25,
    "totalTokens": 265,
    "cacheReadInputTokens": 200,
    "cacheWriteInputTokens": 0,
}
converse_answer: Json = {
    "output": {"message": {"role": "assistant", "content": [{"text": "secret"}]}},
    "stopReason": "end_turn",
    "usage": converse_usage,
    "metrics": {"latencyMs": 12},
}
converse_events = [
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "secret"}}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("messageStop", {"stopReason": "end_turn"}),
    ("metadata", {"usage": converse_usage, "metrics": {"latencyMs": 12}}),
]
bedrock_headers = {"X_Amzn_Bedrock_Input_Token_Count": "5", "X_Amzn_Bedrock_Output_Token_Count": "0"}

gemini_usage: Json = {
    "promptTokenCount": 900,
    "candidatesTokenCount": 40,
    "totalTokenCount": 1000,
    "cachedContentTokenCount": 600,
    "thoughtsTokenCount": 60,
}


def gemini_part(part: Json, **more: object) -> Json:
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, **more}],
        "modelVersion": "gemini-2.5-flash",
        "responseId": "r1",
    }


gemini_answer: Json = {**gemini_part({"text": "secret"}, finishReason="STOP"), "usageMetadata": gemini_usage}
gemini_call: Json = {
    **gemini_part({"functionCall": {"name": "weather", "args": {"city": "Bern"}}}, finishReason="STOP"),
    "usageMetadata": gemini_usage,
}
gemini_chunks = [
    {**gemini_part({"text": "sec"}), "usageMetadata": {"promptTokenCount": 900}},
    {**gemini_part({"text": "r"}), "usageMetadata": {"promptTokenCount": 900, "candidatesTokenCount": 9}},
    gemini_answer,
]
imagen_answer: Json = {"predictions": [{"bytesBase64Encoded": "aGk=", "mimeType": "image/png"}] * 2}
vertex_embeddings: Json = {
    "predictions": [{"embeddings": {"values": [0.25], "statistics": {"token_count": 3, "truncated": False}}}] * 2
}


mistral_usage: Json = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
ocr_answer: Json = {
    "pages": [{"index": 0, "markdown": "secret", "images": [], "dimensions": None}],
    "model": "mistral-ocr-2512",
    "usage_info": {"pages_processed": 1, "doc_size_bytes": 10},
}
conversation_answer: Json = {
    "object": "conversation.response",
    "conversation_id": "conv_1",
    "outputs": [
        {
            "object": "entry",
            "type": "message.output",
            "id": "msg_1",
            "model": "mistral-medium-2508",
            "role": "assistant",
            "content": "secret",
        }
    ],
    "usage": {**mistral_usage, "connector_tokens": 0},
}

cohere_usage: Json = {
    "billed_units": {"input_tokens": 5, "output_tokens": 3},
    "tokens": {"input_tokens": 71, "output_tokens": 3},
}
cohere_answer: Json = {
    "id": "c1",
    "finish_reason": "COMPLETE",
    "message": {"role": "assistant", "content": [{"type": "text", "text": "secret"}]},
    "usage": cohere_usage,
}
cohere_events: List[Json] = [
    {"type": "message-start", "id": "c1", "delta": {"message": {"role": "assistant", "content": []}}},
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "secret"}}}},
    {"type": "content-end", "index": 0},
    {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": cohere_usage}},
]
cohere_first_answer: Json = {
    "text": "secret",
    "generation_id": "g1",
    "finish_reason": "COMPLETE",
    "meta": {"api_version": {"version": "1"}, **cohere_usage},
}
cohere_first_events: List[Json] = [
    {"is_finished": False, "event_type": "stream-start", "generation_id": "g1"},
    {"is_finished": False, "event_type": "text-generation", "text": "secret"},
    {"is_finished": True, "event_type": "stream-end", "finish_reason": "COMPLETE", "response": cohere_first_answer},
]
cohere_embeddings: Json = {
    "id": "e1",
    "embeddings": {"float": [[0.25]]},
    "texts": ["hi"],
    "meta": {"api_version": {"version": "2"}, "billed_units": {"input_tokens": 2}},
    "response_type": "embeddings_by_type",
}
cohere_rerank: Json = {
    "id": "r1",
    "results": [{"index": 0, "relevance_score": 0.5}],
    "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
}
