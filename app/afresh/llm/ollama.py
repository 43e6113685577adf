"""Ollama's models, through its own package."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import httpx
import ollama

from afresh.errors import LlmBusyError, LlmError, LlmFailedError, LlmModelMissingError, LlmUnavailableError
from afresh.llm.provider import Prompt, Reply
from afresh.llm.waiting import wait_for

_MISSING = 404
_BUSY = (429, 503)


class OllamaProvider:
    """A model of an Ollama server."""

    name = "ollama"

    def __init__(self, *, host: str, model: str, keep_alive: str, context_tokens: int) -> None:
        self.model = model
        self.host = host
        self._keep_alive = keep_alive
        self._context_tokens = context_tokens

    def chat(
        self,
        prompt: Prompt,
        *,
        model: str | None = None,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int,
        timeout_s: float,
        cancelled: threading.Event,
    ) -> Reply:
        """As `Provider.chat`."""
        asked = model or self.model

        async def request() -> Reply:
            # Without proxies from the environment: the server is named by the user and mostly on loopback.
            client = ollama.AsyncClient(host=self.host, timeout=timeout_s, trust_env=False)
            try:
                answer = await client.chat(
                    model=asked,
                    messages=[
                        {"role": "system", "content": prompt.system},
                        {"role": "user", "content": prompt.user},
                    ],
                    format=dict(schema) if schema is not None else None,
                    options={"temperature": 0, "num_predict": max_tokens, "num_ctx": self._context_tokens},
                    keep_alive=self._keep_alive,
                )
            finally:
                await client._client.aclose()
            return Reply(answer.message.content or "", cut_off=answer.done_reason == "length")

        try:
            return wait_for(request, timeout_s=timeout_s, cancelled=cancelled, who=f"ollama at {self.host}")
        except ollama.ResponseError as error:
            raise self._told(error, asked) from None
        except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise LlmUnavailableError(
                f"no Ollama server answers at {self.host} ({error or 'connection refused'}); start it with "
                "`ollama serve`, or set AFRESH_LLM_HOST"
            ) from None
        except httpx.HTTPError as error:
            raise LlmFailedError(
                f"the connection to Ollama at {self.host} broke: {type(error).__name__} {error}".rstrip()
            ) from None
        except ValueError as error:
            raise LlmFailedError(f"Ollama at {self.host} answered what is no JSON: {error}") from None

    def reachable(self, timeout_s: float) -> bool:
        """As `Provider.reachable`."""
        try:
            with httpx.Client(timeout=timeout_s, trust_env=False) as client:
                return client.get(f"{self.host.rstrip('/')}/api/version").is_success
        except httpx.HTTPError:
            return False

    def _told(self, error: ollama.ResponseError, asked: str) -> LlmError:
        if error.status_code == _MISSING:
            return LlmModelMissingError(
                f"Ollama at {self.host} has no model {asked!r}; get it with `ollama pull {asked}`, or set "
                "AFRESH_LLM_MODEL to one of `ollama list`"
            )
        if error.status_code in _BUSY:
            return LlmBusyError(f"Ollama at {self.host} is busy ({error.status_code}); try again in a while")
        return LlmFailedError(f"Ollama at {self.host} failed ({error.status_code}): {error.error}")
