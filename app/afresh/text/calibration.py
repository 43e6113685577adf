"""One scale for the cosines of every model.

Models spread their cosines differently: unrelated sentences lie near 0.05 in one and near 0.5 in another. The
floor of `ranking` is a number on the bundled model's scale, so another model's cosines are moved there, by
what it says about a few pairs of sentences that are known to belong together or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.text.embedding import BUNDLED_MODEL_ID, Embedder

_PAIRS = (
    (
        "How do we lock the job so that it runs once?",
        "The nightly job takes an advisory lock in the database.",
    ),
    ("Which library draws the charts?", "Charts are rendered with D3 in the dashboard."),
    ("Why is the start of the app slow?", "Start-up took long because the tokenizer was loaded eagerly."),
    ("Where do we keep uploaded pictures?", "Images that users upload are stored in an object store."),
    ("How are errors shown to users?", "An error message names the value and says what to do."),
    ("What is the rule for branch names?", "Branches are named after their ticket."),
    ("How long are backups kept?", "We keep database dumps for a month."),
    ("Who may deploy to production?", "Only the release team can roll out to the live cluster."),
    ("Why did we leave the old queue?", "The message broker was replaced, since it lost messages."),
    ("How do the tests fake the time?", "Tests inject a clock instead of patching datetime."),
)
_OTHER_SCRIPTS = (
    ("备份保留多久", "数据库备份保存一个月"),
    ("分支怎么命名", "分支名称以工单编号开头"),
    ("كم نحتفظ بالنسخ الاحتياطية", "تحفظ نسخ قاعدة البيانات شهرا"),
    ("أين تخزن الصور", "ترفع الصور إلى مخزن الكائنات"),
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where a model's cosines lie."""

    unrelated: float
    """Mean cosine of sentences that have nothing to do with each other."""
    related: float
    """Mean cosine of a question and its answer."""
    every_script: bool
    """It tells related from unrelated in Chinese and Arabic too; where not, words alone decide there."""

    def on_scale(self, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
        """Move cosines of this model to the bundled model's scale."""
        if self == BUNDLED_SCALE:
            return cosines
        stretch = (BUNDLED_SCALE.related - BUNDLED_SCALE.unrelated) / max(self.related - self.unrelated, 1e-6)
        moved = BUNDLED_SCALE.unrelated + (cosines - self.unrelated) * np.float32(stretch)
        return np.asarray(np.clip(moved, -1.0, 1.0), np.float32)


BUNDLED_SCALE = Calibration(unrelated=0.074, related=0.548, every_script=False)
"""The bundled model's own figures; a test measures them again."""


def calibrate(embedder: Embedder) -> Calibration:
    """Find out where a model's cosines lie; costs a few short texts, and nothing for the bundled model."""
    return BUNDLED_SCALE if embedder.model_id == BUNDLED_MODEL_ID else measure(embedder)


def measure(embedder: Embedder) -> Calibration:
    """Embed the pairs and take the means."""
    unrelated, related = _means(embedder, _PAIRS)
    other_unrelated, other_related = _means(embedder, _OTHER_SCRIPTS)
    # A model that can't read a script finds all its sentences alike: the unrelated ones lie far up.
    distance = related - unrelated
    tells_apart = (
        other_related - other_unrelated > 0.5 * distance and other_unrelated < unrelated + 0.35 * distance
    )
    return Calibration(round(unrelated, 3), round(related, 3), tells_apart)


def _means(embedder: Embedder, pairs: tuple[tuple[str, str], ...]) -> tuple[float, float]:
    questions = np.array([embedder.query(question) for question, _ in pairs])
    answers = embedder.passages([answer for _, answer in pairs])
    table = questions @ answers.T
    same = np.eye(len(pairs), dtype=np.bool_)
    return float(table[~same].mean()), float(table[same].mean())
