"""What the engine asks of a language model, whoever serves it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question: what the model is, and what it is asked."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote."""

    text: str
    """As it came: fences, thinking blocks and all."""
    cut_off: bool
    """It ended at its limit of tokens, not by itself."""


class Provider(Protocol):
    """A language model. Safe from any thread; each call is a request of its own."""

    @property
    def name(self) -> str:
        """`ollama`, `openai` or `scripted`."""

    @property
    def model(self) -> str:
        """The model that is asked unless a call names another."""

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
        """Ask once. With a JSON schema, servers that can are made to keep to it.

        Raises LlmUnavailableError, LlmBusyError, LlmModelMissingError, LlmTimeoutError, LlmFailedError, and
        CancelledCallError as soon as `cancelled` is set: the request is then taken back, not just left.
        """

    def reachable(self, timeout_s: float) -> bool:
        """Whether the server answers."""
