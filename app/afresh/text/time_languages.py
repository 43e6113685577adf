"""Time words of other languages, put into English words in their place.

The words are dateparser's, which has them from Unicode's language data: they are looked up as they stand and
nothing else of it is used, because its own search finds dates in ordinary words. A query is read in a
language only if it has one of that language's plainest time words, so that English costs one search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

from afresh.text.time_language_words import AFTERWARDS, LANGUAGES, Language
from afresh.text.time_words import MONTHS, WEEKDAYS

_UNITS = ("minute", "hour", "day", "week", "month", "year")
_NAMED = {("day", 0): "today", ("day", 1): "yesterday", ("day", -1): "tomorrow"}


_LATIN = ("de", "fr", "es", "it", "pt", "nl")
_CUES = frozenset(cue for name in _LATIN for cue in LANGUAGES[name].cues | LANGUAGES[name].also)
_WORD = re.compile(r"\w+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_NUMBER_SHAPE = re.compile(r"\(\\d[^)]*\)")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_CHINESE_DATE = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?")


@dataclass(frozen=True, slots=True)
class Translated:
    """The time words of a query in English, and where they stand in it."""

    text: str
    start: int
    end: int


def translated(query: str) -> Translated | None:
    """Put a query's time words into English; None where it has none in a language that is known."""
    folded = query.casefold()
    if len(folded) != len(query):
        return None
    best: list[tuple[int, int, str]] = []
    language = ""
    for name in _candidates(folded):
        found = _phrases(name, folded)
        if sum(end - start for start, end, _ in found) > sum(end - start for start, end, _ in best):
            best, language = found, name
    if not best:
        return None
    return _sentence(LANGUAGES[language], folded, best)


def _candidates(folded: str) -> Iterator[str]:
    if not folded.isascii():
        if _KANA.search(folded):
            yield "ja"
        elif _HAN.search(folded):
            yield from ("zh", "ja")
        if _HANGUL.search(folded):
            yield "ko"
        if _CYRILLIC.search(folded):
            yield "ru"
    words = frozenset(_WORD.findall(folded))
    if not words.isdisjoint(_CUES):
        yield from (name for name in _LATIN if _speaks(name, words))


def _speaks(name: str, words: frozenset[str]) -> bool:
    language = LANGUAGES[name]
    return not words.isdisjoint(language.cues) or not (
        words.isdisjoint(language.also) or words.isdisjoint(language.guard)
    )


def _as_words(pattern: str) -> str:
    return rf"(?<!\w)(?:{pattern})(?!\w)"


# --- phrases ------------------------------------------------------------------------------------------


def _phrases(name: str, folded: str) -> list[tuple[int, int, str]]:
    """Where times stand and what they are in English, in their order; the longest where they overlap."""
    found: list[tuple[int, int, str]] = []
    for pattern, english in _patterns(name):
        for match in pattern.finditer(folded):
            number = next((group for group in match.groups() if group), "")
            words = english.replace("\\1", _numbers(name).get(number, number))
            found.append((match.start(), match.end(), words))
    found.extend(_dates(name, folded))
    found.sort(key=lambda one: (one[0], -one[1]))
    kept: list[tuple[int, int, str]] = []
    for one in found:
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


@cache
def _data(name: str) -> Mapping[str, object]:
    """The library's file of one language alone: the library itself takes a tenth of a second to import."""
    package = find_spec("dateparser")
    assert package is not None and package.submodule_search_locations
    file = Path(package.submodule_search_locations[0], "data", "date_translation_data", f"{name}.py")
    info: Mapping[str, object] = run_path(str(file))["info"]
    return info


def _texts(name: str, key: str) -> list[str]:
    found = _data(name).get(key)
    return [text.casefold() for text in found if isinstance(text, str)] if isinstance(found, list) else []


@cache
def _numbers(name: str) -> Mapping[str, str]:
    """Number words of a language that stand for figures."""
    rules = _data(name).get("simplifications")
    plain = [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    words = {word: figure for rule in plain for word, figure in rule.items()}
    for figure, forms in enumerate(LANGUAGES[name].numbers.split(), 2):
        words |= dict.fromkeys(forms.split("/"), str(figure))
    return {word: figure for word, figure in words.items() if word.isalpha() and str(figure).isdigit()}


@cache
def _patterns(name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    language = LANGUAGES[name]
    found = list(language.more.items())
    for key, forms in _entries(name, "relative-type"):
        english = _relative(key)
        if english is not None:
            found.extend((re.escape(form.casefold()), english) for form in forms)
    number = "|".join([r"\d{1,5}", *sorted(map(re.escape, _numbers(name)), key=len, reverse=True)])
    for key, forms in _entries(name, "relative-type-regex"):
        unit = key.removeprefix("\\1 ").removesuffix(" ago")
        if key.endswith(" ago") and unit in _UNITS:
            for form in forms:
                before, _, after = _NUMBER_SHAPE.sub("\0", form.casefold()).partition("\0")
                if not language.spaced or len(after.strip().removeprefix("\\s*")) > 1:
                    found.append((rf"{before}({number}){after}", f"\\1 {unit}s ago"))
    for weekday in WEEKDAYS:
        full = [form for form in _texts(name, weekday) if len(form) > 3 or not language.spaced]
        shape = "|".join(map(re.escape, full))
        if language.last and shape:
            found.append(
                (
                    rf"(?:{language.last})\s?(?:{shape})|(?:{shape}) (?:{language.last})",
                    f"last {weekday.capitalize()}",
                )
            )
        if shape and language.spaced:
            found.append((shape, weekday.capitalize()))
    return tuple(
        (re.compile(_as_words(shape) if language.spaced else f"(?:{shape})"), english)
        for shape, english in found
    )


def _entries(name: str, key: str) -> Iterator[tuple[str, list[str]]]:
    entries = _data(name).get(key)
    if isinstance(entries, dict):
        yield from entries.items()


def _relative(key: str) -> str | None:
    """An entry such as "1 week ago" or "in 1 month" in the words that people say."""
    match = re.fullmatch(r"(?:(\d) (\w+) ago|in (\d) (\w+))", key)
    if match is None:
        return None
    ahead = match.group(3) is not None
    count, unit = int(match.group(3 if ahead else 1)), match.group(4 if ahead else 2)
    signed = -count if ahead else count
    if unit == "day":
        return _NAMED.get((unit, signed), f"{count} days ago" if signed > 0 else None)
    if unit not in ("week", "month", "year"):
        return None
    return {0: f"this {unit}", 1: f"last {unit}", -1: f"next {unit}"}.get(
        signed, f"{count} {unit}s ago" if signed > 0 else None
    )


def _dates(name: str, folded: str) -> Iterator[tuple[int, int, str]]:
    """Dates with a month's name (3. März 2024, le 3 mars), and those of Chinese and Japanese."""
    if name in ("zh", "ja"):
        for match in _CHINESE_DATE.finditer(folded):
            year, month, day = match.groups()
            month_name = next(
                (name.capitalize() for name, number in MONTHS.items() if number == int(month)), ""
            )
            if month_name and (year or day):
                english = " ".join(part for part in (day, month_name, year) if part)
                yield match.start(), match.end(), english
        return
    for match in _month_pattern(name).finditer(folded):
        day, month, year = match.groups()
        english = " ".join(part for part in (day, _month_names(name)[month], year) if part)
        yield match.start(), match.end(), english


@cache
def _month_names(name: str) -> Mapping[str, str]:
    return {form: month.capitalize() for month in MONTHS for form in _texts(name, month) if len(form) > 2}


@cache
def _month_pattern(name: str) -> re.Pattern[str]:
    months = "|".join(sorted(map(re.escape, _month_names(name)), key=len, reverse=True))
    of = r"\s+(?:de\s+|del\s+)?"
    return re.compile(
        rf"(?<!\w)(?:(\d{{1,2}})(?:\.|er|º)?{of.replace('+', '*', 1)})?({months})(?:{of}(\d{{4}}))?(?!\w)"
    )


# --- the sentence around them -------------------------------------------------------------------------


def _sentence(language: Language, folded: str, found: list[tuple[int, int, str]]) -> Translated | None:
    """The times with the words that lead and join them; what stands elsewhere in the query is left out."""
    pieces: list[str] = []
    start, previous = len(folded), 0
    for at, end, english in found:
        gap, previous = folded[previous:at], end
        if pieces and language.between and re.fullmatch(rf"\s*(?:{language.between})\s*", gap):
            pieces.append(f"{'and' if pieces[0].startswith('between') else 'to'} {english}")
            continue
        lead, length = _lead(language, gap)
        lead = _after(folded, end) or lead
        if not lead and (english.casefold() in MONTHS or english.casefold() in WEEKDAYS):
            continue
        pieces.append(f"{'. ' if pieces else ''}{lead} {english}".strip())
        start = min(start, at - length)
    return Translated(" ".join(pieces), start, found[-1][1]) if pieces else None


def _lead(language: Language, gap: str) -> tuple[str, int]:
    """The English word for what stands right before a time, and how many characters that takes."""
    for shape, english in language.around.items():
        boundary = r"(?<!\w)" if language.spaced else ""
        match = re.search(rf"{boundary}(?:{shape})(?:\s+(?:der|dem|den|die|das|la|le|el|il))?\s*$", gap)
        if match is not None:
            return english, len(match.group())
    return "", 0


def _after(folded: str, end: int) -> str:
    rest = folded[end : end + 3].lstrip()
    return next((english for word, english in AFTERWARDS.items() if rest.startswith(word)), "")
