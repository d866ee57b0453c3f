"""Who answers a client's requests."""

from __future__ import annotations

import re
from typing import Optional

# Parts of the addresses of providers that other makers' clients are used with.
_hosts = {
    "azure.com": "azure",
    "openrouter.ai": "openrouter",
    "groq.com": "groq",
    "x.ai": "x-ai",
    "deepseek.com": "deepseek",
    "mistral.ai": "mistral",
    "together.": "together",
    "fireworks.ai": "fireworks",
    "cerebras.ai": "cerebras",
    "perplexity.ai": "perplexity",
    "moonshot.": "moonshotai",
    "amazonaws.com": "aws",
    "aiplatform.googleapis.com": "google-vertex",
    "googleapis.com": "google",
    "anthropic.com": "anthropic",
    "cohere.com": "cohere",
}

# Parts of the names of clients for the clouds, whose address may be a proxy's.
_classes = {
    "Azure": "azure",
    "Foundry": "azure",
    "Bedrock": "aws",
    "AWS": "aws",
    "Vertex": "google-vertex",
    "GoogleCloud": "google-vertex",
}

# Parts of the names that frameworks have for providers, of letters alone. The first that fits counts.
_names = {
    "azure": "azure",
    "bedrock": "aws",
    "sagemaker": "aws",
    "vertex": "google-vertex",
    "gemini": "google",
    "google": "google",
    "anthropic": "anthropic",
    "mistral": "mistral",
    "codestral": "mistral",
    "cohere": "cohere",
    "xai": "x-ai",
    "together": "together",
    "fireworks": "fireworks",
    "openrouter": "openrouter",
    "textcompletionopenai": "openai",
}


def provider_of(client: object) -> Optional[str]:
    """The provider that a client's address or class names; None if they name none that is known here."""
    named = provider_of_address(str(getattr(client, "base_url", "")))
    names = [kind.__name__ for kind in type(client).__mro__]
    return named or next((provider for part, provider in _classes.items() if any(part in name for name in names)), None)


def provider_of_address(address: str) -> Optional[str]:
    """The provider that an address names; None if it names none that is known here."""
    found = re.match(r"[a-z]+://([^/:]+)", address)
    host = found.group(1) if found else ""
    return next((provider for part, provider in _hosts.items() if host.endswith(part) or f".{part}" in host), None)


def provider_named(name: object) -> Optional[str]:
    """The provider by the name that a framework has for it, such as `google_genai`, `AzureOpenAI` or `bedrock`."""
    text = re.sub(r"[^a-z]", "", name.lower()) if isinstance(name, str) else ""
    known = next((provider for part, provider in _names.items() if part in text), None)
    return known or (name if isinstance(name, str) and name else None)
