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


def provider_of(client: object) -> Optional[str]:
    """The provider that a client's address or class names; None if they name none that is known here."""
    address = re.match(r"[a-z]+://([^/:]+)", str(getattr(client, "base_url", "")))
    host = address.group(1) if address else ""
    for part, provider in _hosts.items():
        if host.endswith(part) or f".{part}" in host:
            return provider
    names = [kind.__name__ for kind in type(client).__mro__]
    return next((provider for part, provider in _classes.items() if any(part in name for name in names)), None)
