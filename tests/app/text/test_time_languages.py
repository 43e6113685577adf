from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from afresh.text.time_phrases import read_time, without_time

ASKED = datetime.fromisoformat("2025-03-12T10:30+01:00")
BERLIN = ZoneInfo("Europe/Berlin")

WINDOWS = [
    ("was haben wir gestern geändert", "2025-03-11", "2025-03-12"),
    ("was geschah vorgestern", "2025-03-10", "2025-03-11"),
    ("letzte Woche", "2025-03-03", "2025-03-10"),
    ("die Entscheidungen der letzten Woche", "2025-03-03", "2025-03-10"),
    ("im letzten Monat", "2025-02-01", "2025-03-01"),
    ("vor drei Tagen", "2025-03-09", "2025-03-10"),
    ("vor 2 Wochen", "2025-02-24", "2025-03-03"),
    ("seit Montag", "2025-03-10", "now"),
    ("seit letzter Woche", "2025-03-03", "now"),
    ("letzten Freitag", "2025-03-07", "2025-03-08"),
    ("am 3. März 2024", "2024-03-03", "2024-03-04"),
    ("im Februar 2025", "2025-02-01", "2025-03-01"),
    ("zwischen dem 3. März und dem 10. März", "2025-03-03", "2025-03-11"),
    ("bis Freitag", None, "2025-03-08"),
    ("hier nous avons changé le verrou", "2025-03-11", "2025-03-12"),
    ("ce qui a été décidé hier", "2025-03-11", "2025-03-12"),
    ("les décisions d'hier", "2025-03-11", "2025-03-12"),
    ("qu'avons-nous fait la semaine dernière", "2025-03-03", "2025-03-10"),
    ("le mois dernier", "2025-02-01", "2025-03-01"),
    ("il y a trois jours", "2025-03-09", "2025-03-10"),
    ("depuis lundi", "2025-03-10", "now"),
    ("lundi dernier", "2025-03-10", "2025-03-11"),
    ("le 3 mars 2024", "2024-03-03", "2024-03-04"),
    ("entre le 3 mars et le 10 mars", "2025-03-03", "2025-03-11"),
    ("¿qué hicimos ayer?", "2025-03-11", "2025-03-12"),
    ("la semana pasada", "2025-03-03", "2025-03-10"),
    ("hace 2 días", "2025-03-10", "2025-03-11"),
    ("hace dos días", "2025-03-10", "2025-03-11"),
    ("due giorni fa", "2025-03-10", "2025-03-11"),
    ("há duas semanas", "2025-02-24", "2025-03-03"),
    ("twee dagen geleden", "2025-03-10", "2025-03-11"),
    ("две недели назад", "2025-02-24", "2025-03-03"),
    ("三天前改了什么", "2025-03-09", "2025-03-10"),
    ("两周前", "2025-02-24", "2025-03-03"),
    ("desde el lunes", "2025-03-10", "now"),
    ("el 3 de marzo de 2024", "2024-03-03", "2024-03-04"),
    ("我们昨天改了什么", "2025-03-11", "2025-03-12"),
    ("上周做了什么", "2025-03-03", "2025-03-10"),
    ("上个月", "2025-02-01", "2025-03-01"),
    ("3天前", "2025-03-09", "2025-03-10"),
    ("前天", "2025-03-10", "2025-03-11"),
    ("2024年3月10日的决定", "2024-03-10", "2024-03-11"),
    ("昨天以来", "2025-03-11", "now"),
    ("从昨天到今天", "2025-03-11", "2025-03-13"),
    ("先週何をした", "2025-03-03", "2025-03-10"),
    ("昨日", "2025-03-11", "2025-03-12"),
    ("어제 뭐 했어", "2025-03-11", "2025-03-12"),
    ("что мы сделали вчера", "2025-03-11", "2025-03-12"),
    ("на прошлой неделе", "2025-03-03", "2025-03-10"),
    ("cosa abbiamo fatto ieri", "2025-03-11", "2025-03-12"),
    ("o que fizemos ontem", "2025-03-11", "2025-03-12"),
    ("wat deden we gisteren", "2025-03-11", "2025-03-12"),
]

NO_TIMES = [
    "Was passiert hier?",
    "hier ist der Fehler",
    "was hast du hier gemacht",
    "die Aufgaben des hier genannten Moduls",
    "waarom staat dat hier in de code",
    "der Mai ist schön",
    "seit 3 Commits kaputt",
    "bis zum Ende der Datei",
    "il y a un bug dans le parseur",
    "hace falta una prueba",
    "a mes chers tests",
    "上传文件",
    "前端组件",
    "今后的设计",
    "月份选择器",
    "周期性任务",
    "先に読む",
    "전체 목록",
    "что назад не пишет",
]


def day(text: str | None) -> datetime | None:
    if text == "now":
        return ASKED.astimezone(UTC)
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


@pytest.mark.parametrize(("query", "since", "until"), WINDOWS)
def test_time_words_of_other_languages_mean_the_same_windows(
    query: str, since: str | None, until: str
) -> None:
    found = read_time(query, zone=BERLIN, reference=ASKED)
    assert found is not None
    assert (found.since, found.until, found.note) == (day(since), day(until), None)


@pytest.mark.parametrize("query", NO_TIMES)
def test_words_of_other_languages_that_mean_no_time_are_left_alone(query: str) -> None:
    assert read_time(query, zone=BERLIN, reference=ASKED) is None


def test_a_note_and_the_topic_speak_the_query_s_own_words() -> None:
    found = read_time("warum haben wir gestern das Schloss geändert", zone=None, reference=ASKED)
    assert found is not None and found.note is not None
    assert found.phrase == "gestern" and "'gestern' needs a timezone" in found.note
    assert without_time("hier nous avons changé le verrou") == "nous avons changé le verrou"


def test_a_language_is_read_without_importing_the_library_of_its_words() -> None:
    code = (
        "import sys; from afresh.text.time_languages import translated; "
        "assert translated('seit gestern'); print(*(name for name in sys.modules if 'dateparser' in name))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == ""
