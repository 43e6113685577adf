"""The provider that the settings name."""

from __future__ import annotations

from pathlib import Path

from afresh.errors import UsageError
from afresh.llm.provider import Provider
from afresh.settings import Settings

_OLLAMA_HOST = "http://127.0.0.1:11434"


def provider_of(settings: Settings) -> Provider | None:
    """The provider, made without asking its server; None where none is set.

    Raises UsageError for one that lacks its model, its address or its package.
    """
    name = settings.llm_provider
    if name == "none":
        return None
    if name == "scripted":
        from afresh.llm.scripted import ScriptedProvider

        return ScriptedProvider.from_file(Path(settings.llm_host))
    if not settings.llm_model:
        raise UsageError(f"AFRESH_LLM_PROVIDER is {name!r} and AFRESH_LLM_MODEL is empty; name the model")
    if name == "ollama":
        from afresh.llm.ollama import OllamaProvider

        return OllamaProvider(
            host=settings.llm_host or _OLLAMA_HOST,
            model=settings.llm_model,
            keep_alive=settings.llm_keep_alive,
            context_tokens=settings.llm_context,
        )
    from afresh.llm.openai import OpenAiProvider

    if not settings.llm_host:
        raise UsageError("AFRESH_LLM_PROVIDER is 'openai' and AFRESH_LLM_HOST is empty; give the base URL")
    return OpenAiProvider(host=settings.llm_host, model=settings.llm_model, api_key=settings.llm_api_key)
