"""Any server that speaks OpenAI's protocol, through the `openai` package: the extra `afresh[openai]`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from afresh.errors import (
    LlmBusyError,
    LlmFailedError,
    LlmModelMissingError,
    LlmTimeoutError,
    LlmUnavailableError,
    UsageError,
)
from afresh.llm.provider import Prompt, Reply
from afresh.llm.waiting import wait_for


class OpenAiProvider:
    """A model of a compatible server."""

    name = "openai"

    def __init__(self, *, host: str, model: str, api_key: str) -> None:
        try:
            import openai
        except ImportError:
            raise UsageError(
                "AFRESH_LLM_PROVIDER is openai, and its package is not there; install afresh[openai]"
            ) from None
        self._openai = openai
        self.model = model
        self.host = host
        self._key = api_key

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
        openai = self._openai
        asked = model or self.model

        async def request() -> Reply:
            async with openai.AsyncOpenAI(
                base_url=self.host, api_key=self._key or "none", timeout=timeout_s, max_retries=0
            ) as client:
                options: dict[str, Any] = {}
                if schema is not None:
                    options["response_format"] = {
                        "type": "json_schema",
                        "json_schema": {"name": "answer", "schema": dict(schema)},
                    }
                answer = await client.chat.completions.create(
                    model=asked,
                    messages=[
                        {"role": "system", "content": prompt.system},
                        {"role": "user", "content": prompt.user},
                    ],
                    temperature=0,
                    max_tokens=max_tokens,
                    **options,
                )
            choice = answer.choices[0]
            return Reply(choice.message.content or "", cut_off=choice.finish_reason == "length")

        who = f"the model server at {self.host}"
        try:
            return wait_for(request, timeout_s=timeout_s, cancelled=cancelled, who=who)
        except openai.APITimeoutError:
            raise LlmTimeoutError(
                f"{who} gave no answer in {timeout_s:g} s; raise AFRESH_LLM_TIMEOUT"
            ) from None
        except openai.APIConnectionError as error:
            raise LlmUnavailableError(f"{who} does not answer: {error}; check AFRESH_LLM_HOST") from None
        except openai.NotFoundError:
            raise LlmModelMissingError(f"{who} has no model {asked!r}; set AFRESH_LLM_MODEL") from None
        except openai.APIStatusError as error:
            if error.status_code in (429, 503):
                raise LlmBusyError(f"{who} is busy ({error.status_code}); try again in a while") from None
            if error.status_code in (401, 403):
                raise LlmUnavailableError(f"{who} refuses the key; check AFRESH_LLM_API_KEY") from None
            raise LlmFailedError(f"{who} failed ({error.status_code}): {error.message}") from None
        except (openai.OpenAIError, IndexError, ValueError) as error:
            raise LlmFailedError(f"{who} answered what can't be read: {error}") from None

    def reachable(self, timeout_s: float) -> bool:
        """As `Provider.reachable`."""
        import httpx

        try:
            with httpx.Client(timeout=timeout_s, trust_env=False) as client:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                return client.get(f"{self.host.rstrip('/')}/models", headers=headers).is_success
        except httpx.HTTPError:
            return False
