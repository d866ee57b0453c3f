"""What answers report of their usage."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional

from ._json import Json, at, fields_of, number_at, objects_at, text_at, to_plain

# Where answers hold their usage, as the intake reads it.
_usage_names = ("usage", "usageMetadata", "usage_metadata", "usageInfo", "usage_info", "meta")

# Where events of streams hold the answer, or the part of it that has the usage.
_inner_names = ("response", "message", "data", "metadata", "delta", "interaction")

# Events at which an answer has ended.
_last_events = {
    "message_stop",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "interaction.completed",
    "conversation.response.done",
    "transcript.text.done",
    "transcription.done",
    "speech.audio.done",
    "image_generation.completed",
    "image_edit.completed",
    "message-end",
    "stream-end",
}

# Events of Cohere that bring a piece of an answer.
_pieces = {"content-delta", "tool-plan-delta", "tool-call-delta", "text-generation", "tool-calls-chunk"}

# Models of OpenAI that search the web for every request.
_search_model = re.compile(r"-search-(?:preview|api)\b")
_charged_tool = re.compile(r"(?:web_search|file_search|code_interpreter|image_generation)_call")


class Reading:
    """The provider's usage object as it is, the model and the terms, and counts of what is charged beside tokens.

    Nothing of the prompt or the answer is kept.
    """

    def __init__(self) -> None:
        self.model: Optional[str] = None
        self.id: Optional[str] = None
        self.status: Optional[str] = None
        self.characters: Optional[int] = None
        """The characters that were spoken."""
        self.is_done = False
        """Whether the answer has ended."""
        self.failure: Optional[Mapping[str, Any]] = None
        """A failure that the answer itself reports."""
        self._usage_name = "usage"
        self._usage: Optional[Json] = None
        self._tier: object = None
        self._tools: Json = {}
        self._units: Json = {}
        # The pieces of text that a stream has brought: each is a token or more.
        self._pieces = 0

    @property
    def has_usage(self) -> bool:
        return self._usage is not None

    @property
    def tells(self) -> bool:
        """Whether there is anything to charge by, be it nothing."""
        return self.has_usage or self.characters is not None or bool(self._units) or bool(self._tools)

    def take(self, answer: object) -> None:
        """Takes a whole answer, or the next event of a stream."""
        level = fields_of(answer)
        if not level:
            return
        kind = text_at(level, "type") or text_at(level, "event_type")
        if kind is not None and kind.endswith(".delta") and text_at(level, "delta"):
            self._pieces += 1
        if ("contentBlockIndex" in level and at(level, "delta")) or kind in _pieces:
            self._pieces += 1
        error = fields_of(level.get("error"))
        if error and (kind == "error" or ("choices" not in level and kind is None)):
            self.failure = error
        self._take_level(level, kind)
        for name in _inner_names:
            inner = fields_of(level.get(name))
            if inner:
                self._take_level(inner, kind)

    def to_fields(self, aborted: bool = False) -> Json:
        """The fields of the event. Where usage comes last in a stream, one that breaks off has used the pieces that have come."""
        tier = fields_of(self._tier).get("type", self._tier)
        fields = {**self._units, "characters": self.characters}
        if aborted and not self.has_usage and self._pieces:
            fields["output_tokens"] = self._pieces
        if any("tokens" in name.lower() for name in self._usage or {}):
            # Images that a model counts in tokens are not charged by their number.
            fields.pop("images", None)
        response = {
            "id": self.id,
            "service_tier": tier if isinstance(tier, str) else None,
            self._usage_name: self._usage,
            **self._tools,
        }
        return {**fields, "response": {name: value for name, value in response.items() if value is not None}}

    def _take_level(self, level: Mapping[str, Any], kind: Optional[str]) -> None:
        if (kind or text_at(level, "type")) in _last_events:
            self.is_done = True
        self.model = text_at(level, "model") or text_at(level, "modelVersion") or self.model
        self.id = text_at(level, "id") or text_at(level, "responseId") or self.id
        self.status = text_at(level, "status") or self.status
        for name in ("service_tier", "serviceTier"):
            tier = level.get(name)
            if tier is not None:
                self._tier = tier
        self._take_usage(level, kind)
        if self.status == "failed":
            self.failure = fields_of(level.get("error")) or self.failure
        self._take_choices(level)
        self._take_tools(level)
        self._take_media(level)
        self._take_candidates(level)

    def _take_usage(self, level: Mapping[str, Any], kind: Optional[str]) -> None:
        for name in _usage_names:
            usage = fields_of(level.get(name))
            if not usage or (name == "meta" and "billed_units" not in usage):
                continue
            told = to_plain(usage if isinstance(usage, dict) else dict(usage))
            if kind == "message_delta":
                # Anthropic's later events have some of the counts, so far; those of others have all.
                told = {**(self._usage or {}), **{key: value for key, value in told.items() if value is not None}}
            self._usage_name, self._usage = name, told
            return

    def _take_choices(self, level: Mapping[str, Any]) -> None:
        """Chat completions: whether the answer has ended, and whether it cites pages."""
        choices = objects_at(level, "choices")
        if not choices:
            return
        if any(choice.get("finish_reason") for choice in choices):
            self.is_done = True
        if any(_has_text(at(choice, "delta")) or choice.get("text") for choice in choices):
            self._pieces += 1
        cites = any(
            annotation.get("type") == "url_citation"
            for choice in choices
            for name in ("message", "delta")
            for annotation in objects_at(choice.get(name), "annotations")
        )
        if cites or _search_model.search(self.model or ""):
            self._units["web_searches"] = 1

    def _take_tools(self, level: Mapping[str, Any]) -> None:
        """Calls of OpenAI's tools that are charged, without what was searched, run or made."""
        output = [
            _without_none(
                type=call.get("type"),
                container_id=call.get("container_id"),
                action={"type": at(call, "action").get("type")} if at(call, "action") else None,
                model=call.get("model"),
                result="-" if call.get("result") else None,
                svg_usage=call.get("svg_usage"),
            )
            for call in objects_at(level, "output")
            if _charged_tool.fullmatch(str(call.get("type")))
        ]
        tools = [
            _without_none(type=tool["type"], model=tool.get("model"))
            for tool in objects_at(level, "tools")
            if tool.get("type") == "image_generation"
        ]
        found = {"output": output, "tools": tools}
        for name in ("tool_usage", "svg_usage"):
            found[name] = to_plain(dict(at(level, name)))
        self._tools.update({name: to_plain(value) for name, value in found.items() if value})

    def _take_media(self, level: Mapping[str, Any]) -> None:
        """Images that were made, pages that were annotated, and the seconds of a transcription without usage."""
        made: List[Mapping[str, Any]] = [*objects_at(level, "data")]
        made += [at(one, "image") for one in objects_at(level, "generatedImages")]
        made += objects_at(level, "predictions")
        names = ("b64_json", "url", "imageBytes", "gcsUri", "bytesBase64Encoded")
        images = sum(1 for one in made if any(one.get(name) for name in names))
        if isinstance(level.get("images"), list):
            # Bedrock's are texts.
            images += sum(1 for one in level["images"] if isinstance(one, str))
        if images:
            self._units["images"] = images
        is_annotated = level.get("document_annotation") or any(
            image.get("image_annotation") for page in objects_at(level, "pages") for image in objects_at(page, "images")
        )
        if is_annotated:
            self._units["annotated_pages"] = number_at(at(level, "usage_info"), "pages_processed")
        if level.get("task") and not self.has_usage and number_at(level, "duration") is not None:
            self._units["audio_seconds"] = number_at(level, "duration")
        # Mistral's conversations name the model beside each thing that it says.
        models = [text_at(one, "model") for one in objects_at(level, "outputs")]
        self.model = next((model for model in reversed(models) if model), self.model)

    def _take_candidates(self, level: Mapping[str, Any]) -> None:
        """Gemini's grounding."""
        queries = 0
        for candidate in objects_at(level, "candidates"):
            if candidate.get("finishReason"):
                self.is_done = True
            grounding = at(candidate, "groundingMetadata")
            for name in ("webSearchQueries", "imageSearchQueries"):
                texts = grounding.get(name)
                queries += sum(1 for text in texts if text) if isinstance(texts, list) else 0
            if any(fields_of(chunk.get("maps")) for chunk in objects_at(grounding, "groundingChunks")):
                self._units["maps_prompts"] = 1
        if queries:
            self._units.update(grounded_prompts=1, grounded_queries=queries)


def _without_none(**fields: object) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _has_text(delta: Mapping[str, Any]) -> bool:
    """Whether a piece of an answer has text, reasoning or a part of the arguments of a tool."""
    return any(value for name, value in delta.items() if name != "role")
