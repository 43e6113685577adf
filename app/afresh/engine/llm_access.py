"""The language model as the engine has it: made when first asked for, and how much one task may spend."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from afresh.errors import InvalidArgumentError
from afresh.llm.asking import Asker
from afresh.llm.provider import Provider

CONFIGURED = "configured"
NO_MODEL = "none"


def _no_provider() -> Provider | None:
    return None


@dataclass(slots=True)
class LlmAccess:
    """A provider that is made late, because its package takes a third of a second to import."""

    make: Callable[[], Provider | None] = _no_provider
    """Raises UsageError where the settings don't suffice."""
    context_tokens: int = 4096
    timeout_s: float = 60.0
    total_s: float = 300.0
    _made: bool = False
    _provider: Provider | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def provider(self) -> Provider | None:
        """The configured one; None where none is."""
        with self._guard:
            if not self._made:
                self._provider, self._made = self.make(), True
            return self._provider

    def asker(self, named: str, *, calls: int, cancelled: threading.Event) -> Asker | None:
        """A task's way to the model that it names; None where it is to do without one.

        `named` is a model, `configured` or `none`. Raises InvalidArgumentError for a model where no provider
        is configured.
        """
        if named == NO_MODEL:
            return None
        provider = self.provider
        if provider is None:
            if named == CONFIGURED:
                return None
            raise InvalidArgumentError(
                f"llm_model: {named!r} was named and no provider is configured; set AFRESH_LLM_PROVIDER, or "
                "give none to plan without a model"
            )
        return Asker(
            provider,
            model=None if named == CONFIGURED else named,
            calls=calls,
            timeout_s=self.timeout_s,
            total_s=self.total_s,
            cancelled=cancelled,
        )
