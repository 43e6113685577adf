"""What the library's language data lacks: forms of time words in a sentence, and the words around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Language:
    """One language's additions; all patterns are for text in small letters."""

    cues: frozenset[str] = frozenset()
    """Words of which one must be met before the language's data is loaded; for Latin scripts only."""
    also: frozenset[str] = frozenset()
    """Cues that are words of another language, too: French "hier" is German for "here"."""
    guard: frozenset[str] = frozenset()
    """Words of which one must be met beside those."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Patterns of phrases, and what they are in English."""
    around: Mapping[str, str] = field(default_factory=dict)
    """Patterns of words before a time, and what they are in English."""
    last: str = ""
    """A pattern of "last" before or after a weekday."""
    between: str = ""
    """A pattern of what joins the two ends of a range."""
    numbers: str = ""
    """Words for 2, 3 and so on that the library lacks; a figure's own forms are joined by a slash."""
    spaced: bool = True
    """Whether words are set apart by spaces."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGES: Mapping[str, Language] = {
    "de": Language(
        cues=_words(
            """
            gestern vorgestern heute letzte letzten letzter letztem letztes vergangene vergangenen
            vergangener vergangenes vorige vorigen voriger woche wochen tagen tage monat monaten jahr
            jahren stunde stunden minuten seit bis im montag dienstag mittwoch donnerstag freitag
            samstag sonntag januar februar märz juni juli oktober dezember
            """
        ),
        more={
            r"(?:letzte|vergangene|vorige)[nrsm]? woche": "last week",
            r"(?:letzte|vergangene|vorige)[nrsm]? monats?": "last month",
            r"(?:letzte|vergangene|vorige)[nrsm]? jahr(?:es)?": "last year",
            r"diese[nrsm]? woche": "this week",
            r"diese[nrsm]? monat": "this month",
            r"diese[nrsm]? jahr": "this year",
            r"heute morgen": "this morning",
            r"gestern abend": "yesterday evening",
        },
        around={
            r"seit|ab": "since",
            r"bis(?: zum)?": "until",
            r"am|im|in": "in",
            r"vor": "before",
            r"nach": "after",
            r"zwischen": "between",
            r"von|vom": "from",
        },
        last=r"(?:letzte|vergangene|vorige)[nrsm]?",
        between=r"und(?: de[mnr])?|bis(?: zum)?",
    ),
    "fr": Language(
        cues=_words(
            """
            aujourd dernier dernière derniere semaine semaines mois année annee jours heures depuis
            lundi mardi mercredi jeudi vendredi samedi dimanche janvier février fevrier mars avril juin
            juillet août aout septembre octobre novembre décembre decembre
            """
        ),
        also=frozenset({"hier"}),
        guard=_words(
            """
            nous on avons j le la les l d qu que quoi qui ce fait pourquoi dernier il soir avant été était
            sont une pour avec vous sur
            """
        ),
        more={
            r"(?:la )?semaine (?:derni[èe]re|pass[ée]e)": "last week",
            r"(?:le )?mois (?:dernier|pass[ée])": "last month",
            r"l['’]ann[ée]e (?:derni[èe]re|pass[ée]e)|l['’]an (?:dernier|pass[ée])": "last year",
            r"aujourd['’]hui": "today",
            r"ce matin": "this morning",
            r"hier soir": "yesterday evening",
        },
        around={
            r"depuis": "since",
            r"jusqu['’](?:[àa]|au)": "until",
            r"avant": "before",
            r"apr[èe]s": "after",
            r"entre": "between",
            r"du|de": "from",
            r"en|au|le": "in",
        },
        last=r"derni(?:er|[èe]re)|pass[ée]e?",
        between=r"et(?: le)?|au|[àa]|jusqu['’](?:[àa]|au)",
    ),
    "es": Language(
        numbers="dos tres cuatro cinco seis siete ocho nueve diez",
        cues=_words(
            """
            ayer hoy anoche anteayer semana semanas mes meses año hace desde hasta lunes martes
            miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto
            septiembre octubre noviembre diciembre
            """
        ),
        more={
            r"(?:la )?semana pasada": "last week",
            r"(?:el )?mes pasado": "last month",
            r"(?:el )?año pasado": "last year",
            r"esta mañana": "this morning",
            r"anoche": "last night",
        },
        around={
            r"desde": "since",
            r"hasta": "until",
            r"antes del?": "before",
            r"después del?": "after",
            r"entre": "between",
            r"del?": "from",
            r"en|el": "in",
        },
        last=r"pasad[oa]|último",
        between=r"y(?: el)?|al?|hasta(?: el)?",
    ),
    "it": Language(
        numbers="due tre quattro cinque sei sette otto nove dieci",
        cues=_words("ieri oggi settimana settimane scorso scorsa fa giorni mesi"),
        around={r"dal?": "since", r"fino a": "until", r"prima di": "before"},
        last=r"scors[oa]",
    ),
    "pt": Language(
        numbers="dois/duas três/tres quatro cinco seis sete oito nove dez",
        cues=_words("ontem hoje anteontem semana semanas mês meses passado passada dias há"),
        around={r"desde": "since", r"até": "until", r"antes de": "before"},
        last=r"passad[oa]",
    ),
    "nl": Language(
        numbers="twee drie vier vijf zes zeven acht negen tien",
        cues=_words("gisteren vandaag eergisteren vorige vorig geleden sinds"),
        around={r"sinds": "since", r"tot": "until", r"voor": "before", r"na": "after"},
        last=r"vorige|afgelopen",
    ),
    "zh": Language(
        numbers="二/两 三 四 五 六 七 八 九 十",
        more={
            r"上(?:个)?(?:星期|礼拜|周)(?![一二三四五六日天])": "last week",
            r"(?:这|本)(?:个)?(?:星期|礼拜|周)(?![一二三四五六日天])": "this week",
            r"上(?:个)?月": "last month",
            r"(?:这个|本)月": "this month",
            r"今天(?:早上|上午)": "this morning",
            r"昨晚": "last night",
        },
        around={r"自从|自|从": "since"},
        last=r"上(?:个)?",
        between=r"到|至",
        spaced=False,
    ),
    "ja": Language(last=r"先週の?", spaced=False),
    "ko": Language(spaced=False),
    "ru": Language(
        numbers="два/две три четыре пять шесть семь восемь девять десять",
        around={r"с": "since", r"до": "until"},
    ),
}
AFTERWARDS = {
    "以来": "since",
    "之前": "before",
    "以前": "before",
    "之后": "after",
    "以后": "after",
    "から": "since",
}
"""Words after a time, and what they are in English."""
