from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afresh.text.embedding import Embedder, load_bundled

DATA = Path(__file__).parents[2] / "data" / "relevance"


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def embedder(models_folder: Path) -> Embedder:
    return load_bundled(models_folder)


@pytest.fixture(scope="session")
def relevance() -> Callable[[str], list[dict[str, Any]]]:
    def rows(name: str) -> list[dict[str, Any]]:
        lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return rows


@pytest.fixture(scope="session")
def tokenizer_count(embedder: Embedder, models_folder: Path) -> Callable[[str], int]:
    """Counts with the model's own tokenizer, its two marks included, without cutting."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(next(models_folder.glob("bundled-*/tokenizer.json"))))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text).ids)
