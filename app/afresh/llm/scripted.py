"""A provider whose answers are written down: for tests, demonstrations and machines without a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from afresh.errors import CancelledCallError, LlmFailedError, LlmModelMissingError, UsageError
from afresh.llm.provider import Prompt, Reply

MODEL = "scripted"


class ScriptedProvider:
    """Gives its answers one after the other; the prompts that it was asked are kept."""

    name = "scripted"
    model = MODEL

    def __init__(self, answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self._guard = threading.Lock()
        self.asked: list[Prompt] = []

    @classmethod
    def from_file(cls, path: Path) -> ScriptedProvider:
        """Read a JSON list of texts, or of values that stand for their JSON. Raises UsageError."""
        try:
            answers = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"AFRESH_LLM_HOST: the script {path} can't be read: {error}") from None
        if not isinstance(answers, list):
            raise UsageError(f"AFRESH_LLM_HOST: the script {path} must be a JSON list of answers")
        return cls([answer if isinstance(answer, str) else json.dumps(answer) for answer in answers])

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
        """The next answer. Raises LlmFailedError where none is left."""
        if cancelled.is_set():
            raise CancelledCallError("the call was cancelled")
        if model not in (None, MODEL):
            raise LlmModelMissingError(f"the scripted provider has no model {model!r}")
        with self._guard:
            self.asked.append(prompt)
            if not self._answers:
                raise LlmFailedError("the script has no answer left")
            return Reply(self._answers.pop(0), cut_off=False)

    def reachable(self, timeout_s: float) -> bool:
        """Always."""
        return True
