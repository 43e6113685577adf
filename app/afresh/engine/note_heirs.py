"""Which new text took the place of which old one when a document was edited (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from afresh_indexer.likeness import Shape, shape_of, word_likeness

ALIKE = 0.4
"""Share of common words from which two texts under one heading are one text before and after an edit."""

Placed = tuple[str, int]
"""A note's content, its first line the trail of its headings, and its line in the document."""


def heirs_of(gone: Mapping[int, Placed], came: Mapping[int, Placed]) -> dict[int, int]:
    """For each text that went, the new one in its place, by their ids; those without one are left out.

    First what is most alike under one heading, then what stands at the very line, or is the one text that
    went there for the one that came; last, the same text under another heading. No text is heir of two.
    """
    heirs: dict[int, int] = {}
    left = dict(gone)
    free = dict(came)
    for old, new in (*_alike(gone, came), *_in_place(gone, came), *_moved(gone, came)):
        if old in left and new in free:
            heirs[old] = new
            del left[old], free[new]
    for trail, olds in _by_trail(left).items():
        news = _by_trail(free).get(trail, [])
        if len(olds) == len(news) == 1:
            heirs[olds[0]] = news[0]
    return heirs


def _alike(gone: Mapping[int, Placed], came: Mapping[int, Placed]) -> list[tuple[int, int]]:
    places = _by_trail(came)
    shapes: dict[int, Shape] = {id_: _shape(content) for id_, (content, _) in came.items()}
    found: list[tuple[float, int, int, int]] = []
    for old, (content, line) in gone.items():
        own = _shape(content)
        for new in places.get(_trail(content), ()):
            score = word_likeness(own, shapes[new])
            if score >= ALIKE:
                found.append((-score, abs(came[new][1] - line), old, new))
    return [(old, new) for _, _, old, new in sorted(found)]


def _in_place(gone: Mapping[int, Placed], came: Mapping[int, Placed]) -> Iterator[tuple[int, int]]:
    for old, (content, line) in gone.items():
        for new, (other, place) in came.items():
            if line == place and _trail(content) == _trail(other):
                yield old, new


def _moved(gone: Mapping[int, Placed], came: Mapping[int, Placed]) -> Iterator[tuple[int, int]]:
    bodies = {_body(content): new for new, (content, _) in came.items()}
    for old, (content, _) in gone.items():
        if _body(content) in bodies:
            yield old, bodies[_body(content)]


def _by_trail(placed: Mapping[int, Placed]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for id_, (content, _) in placed.items():
        found.setdefault(_trail(content), []).append(id_)
    return found


def _shape(content: str) -> Shape:
    return shape_of(_body(content).encode(), None)


def _trail(content: str) -> str:
    return content.partition("\n")[0]


def _body(content: str) -> str:
    return content.partition("\n\n")[2]
