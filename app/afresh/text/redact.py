"""Secrets out of a text before it is written, embedded or logged.

Three finders, because each misses what another has: betterleaks knows the most formats, the plugins of
detect-secrets know lone AWS keys and some more, and the patterns here cover key blocks (cut off or escaped
ones too), passwords in URLs and connection strings, and the tokens of services that developers use most,
whatever the entropy rules of the others think of them.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what was taken out."""

    text: str
    """Each secret is replaced by `[redacted:KIND]`."""
    found: tuple[tuple[str, int], ...]
    """How many of each kind, by kind."""


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    kind: str


def redact(text: str) -> Redacted:
    """Replace the secrets in a text."""
    spans = _merged(
        [*_tokens(text), *_passwords(text), *_key_blocks(text), *_detect_secrets(text), *_betterleaks(text)]
    )
    if not spans:
        return Redacted(text, ())
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], f"[redacted:{span.kind}]")
        at = span.end
    parts.append(text[at:])
    return Redacted("".join(parts), tuple(sorted(Counter(span.kind for span in spans).items())))


def _merged(spans: list[_Span]) -> list[_Span]:
    """Disjoint spans in order; where some overlap, the longest gives the name."""
    merged: list[_Span] = []
    named = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = span.kind if span.end - span.start > named else last.kind
            named = max(named, span.end - span.start)
            merged[-1] = _Span(last.start, max(last.end, span.end), kind)
        else:
            merged.append(span)
            named = span.end - span.start
    return merged


# Formats with a prefix of their own, by kind. Lengths are lower bounds: tokens grow over the years.
_FORMATS = {
    "github-token": r"github_pat_[A-Za-z0-9_]{22,}|gh[pousr]_[A-Za-z0-9]{36,}",
    "gitlab-token": r"gl(?:pat|dt|ft|soat|rt|ptt|oas|cbt|imt|agent)-[A-Za-z0-9_-]{20,}",
    "anthropic-key": r"sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{24,}",
    "openai-key": r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{24,}|sk-[A-Za-z0-9]{40,}",
    "google-api-key": r"AIza[A-Za-z0-9_-]{35}",
    "google-oauth": r"ya29\.[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{24,}",
    "npm-token": r"npm_[A-Za-z0-9]{36,}",
    "hugging-face-token": r"hf_[A-Za-z0-9]{30,}",
    "slack-token": r"xox[abeoprs]-(?:\d+-)+[A-Za-z0-9-]{8,}|xapp-\d-[A-Za-z0-9-]{20,}",
    "stripe-key": r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}",
    "pypi-token": r"pypi-AgE[A-Za-z0-9_-]{60,}",
    "digitalocean-token": r"do[opr]_v1_[a-f0-9]{64}",
    "shopify-token": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "databricks-token": r"dapi[a-f0-9]{32}",
    "vault-token": r"hvs\.[A-Za-z0-9_-]{24,}",
    "aws-access-key": r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
    "jwt": r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?",
}
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    + "|".join(f"(?P<k{i}>{pattern})" for i, pattern in enumerate(_FORMATS.values()))
    + r")(?![A-Za-z0-9])"
)
_KINDS = tuple(_FORMATS)


def _tokens(text: str) -> Iterator[_Span]:
    for match in _TOKEN.finditer(text):
        kind = _KINDS[int((match.lastgroup or "k0")[1:])]
        yield _Span(match.start(), match.end(), kind)
        if kind == "aws-access-key":
            yield from _aws_secret_beside(text, match)


_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")


def _aws_secret_beside(text: str, key: re.Match[str]) -> Iterator[_Span]:
    """The secret of an access key has no mark of its own, but stands beside it."""
    for match in _AWS_SECRET.finditer(text, max(0, key.start() - 160), min(len(text), key.end() + 240)):
        if _mixed(match.group()):
            yield _Span(match.start(), match.end(), "aws-secret-key")


def _mixed(value: str) -> bool:
    """Capitals, small letters and digits: no hash, no word, no constant."""
    return (
        any(c.isupper() for c in value)
        and any(c.islower() for c in value)
        and any(c.isdigit() for c in value)
    )


_URL_PASSWORD = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,30})://[^\s:/@\"'<>]{0,100}:(?P<value>[^\s/\"'<>]{1,200})@(?=[\w\[])"
)
_CONNECTION = re.compile(
    r"(?i)(?:server|data source|host|user id|uid|database)\s*=[^;\n\"']{1,200};[^\n\"']{0,400}?"
    r"(?:password|pwd)\s*=\s*(?P<value>[^;\n\"']{3,200})"
)
_AWS_ASSIGNED = re.compile(
    r"(?i)(?:aws|secret)_?-?(?:secret)?_?-?access_?-?key[\"']?\s*(?:=>|[:=])\s*[\"']?"
    r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)
_AUTHORISATION = re.compile(
    r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+(?P<value>[A-Za-z0-9+/=_.~-]{16,})"
)
_ASSIGNED = re.compile(
    r"(?i)(?:password|passwd|secret|api_?key|access_?key|auth_?token|access_?token)"
    r"[\"']?\s{0,4}(?:=>|:=|[:=])\s{0,4}(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;]{10,200})(?P=quote)"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:\W*|pass(?:word|wd)?|pw|pwd|secret|token|user(?:name)?|changeme|example|redacted|your.*|my.*|"
    r"x{3,}|\*+|\.{3}|test(?:ing)?|foo|bar|p|\[redacted:[\w-]+\])$"
)


def _passwords(text: str) -> Iterator[_Span]:
    lowered = text.lower()
    for kind, pattern, signs in (
        ("url-password", _URL_PASSWORD, ("://",)),
        ("connection-password", _CONNECTION, ("password", "pwd")),
        ("aws-secret-key", _AWS_ASSIGNED, ("access",)),
        ("authorization", _AUTHORISATION, ("authorization",)),
        ("password", _ASSIGNED, ("pass", "secret", "key", "token")),
    ):
        if not any(sign in lowered for sign in signs):
            continue
        for match in pattern.finditer(text):
            value = match.group("value")
            if _PLACEHOLDER.match(value) or value[0] in "${%<[":
                continue
            if kind == "password" and not _looks_random(value, quoted=bool(match.group("quote"))):
                continue
            if kind == "authorization" and not any(c.isdigit() for c in value):
                continue
            yield _Span(*match.span("value"), kind)


def _looks_random(value: str, *, quoted: bool) -> bool:
    """A password or key, and no expression, name, path or sentence."""
    if not quoted and re.search(r"[()\[\]{}<>$.\\|]", value):
        return False
    if "://" in value or value.count("/") > 2 or "{" in value or "$(" in value:
        return False
    digits = sum(c.isdigit() for c in value)
    return digits >= 2 and _mixed(value) and len(set(value)) >= 8


_KEY_NAME = r"(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?"
_BEGIN = re.compile(rf"-----BEGIN {_KEY_NAME}-----")
_END = re.compile(rf"-----END {_KEY_NAME}-----")
# Between two lines of a block: line ends as they are or escaped, quotes and joints of a literal, comments.
_BETWEEN = re.compile(r"(?:\\+[nrt]|[\s\"'+,>|#*/])*")
_HEADER = re.compile(r"(?:Proc-Type|DEK-Info|Comment|Version|Charset|Hash|MessageID): [^\n\\]{0,200}")
_BODY = re.compile(r"[A-Za-z0-9+/=]+")
_PUTTY = re.compile(r"Private-Lines: \d+\s+(?P<value>(?:[A-Za-z0-9+/=]{1,80}(?:\s+|\Z))+)")
_MAX_BLOCK = 20_000


def _key_blocks(text: str) -> Iterator[_Span]:
    covered = 0
    if "PRIVATE KEY" in text:
        for begin in _BEGIN.finditer(text):
            if begin.start() < covered:
                continue
            covered = _block_end(text, begin.end())
            if covered > begin.end():
                yield _Span(begin.start(), covered, "private-key")
        for end in _END.finditer(text):
            start = _block_start(text, end.start())
            if start < end.start():
                yield _Span(start, end.end(), "private-key")
    if "Private-Lines" in text:
        for match in _PUTTY.finditer(text):
            yield _Span(
                match.start("value"), match.start("value") + len(match["value"].rstrip()), "private-key"
            )


def _block_end(text: str, at: int) -> int:
    """Where a block that begins here ends, cut off or not; `at` where nothing secret follows."""
    limit = min(len(text), at + _MAX_BLOCK)
    end = at
    while end < limit:
        between = _BETWEEN.match(text, end)
        next_at = between.end() if between else end
        if close := _END.match(text, next_at):
            return close.end() if end > at else at
        found = _HEADER.match(text, next_at) or _BODY.match(text, next_at)
        if found is None:
            return end
        piece = found.group()
        # Prose is made of short words; a key's lines are long, but for the last one.
        if ": " not in piece and len(piece) < 16 and not (end > at and _closes(text, found.end())):
            return end
        end = found.end()
    return end


def _closes(text: str, at: int) -> bool:
    """Whether a short line is a block's last: its end mark follows, or nothing does on its line."""
    between = _BETWEEN.match(text, at)
    after = between.end() if between else at
    return after >= len(text) or bool(_END.match(text, after)) or text[at] in "\n\r\\\"'"


def _block_start(text: str, end: int) -> int:
    """Where the body begins whose end mark stands at `end`; `end` where there is none."""
    start = end
    for line in reversed(re.split(r"(?<=\n)|(?<=\\n)", text[max(0, end - _MAX_BLOCK) : end])):
        body = re.sub(r"\\[nrt]", "", line).strip(" \t\r\n\"'+,>|#*")
        if line and (len(body) < 4 or not _BODY.fullmatch(body)):
            break
        start -= len(line)
    return start if end - start >= 16 else end


# Headers of keys, tokens and passwords that the patterns above take whole; addresses, which are no secret.
_SKIPPED_PLUGINS = frozenset(
    ("PrivateKeyDetector", "JwtTokenDetector", "BasicAuthDetector", "IPPublicDetector", "KeywordDetector")
)
# Whatever the plugins look for has such a run, and they are slow: they see its surroundings alone.
_RUN = re.compile(r"[A-Za-z0-9_+/=.-]{11,}")
_BEFORE_RUN, _AFTER_RUN = 100, 60


@cache
def _plugin_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    import importlib
    import pkgutil

    import detect_secrets.plugins as package
    from detect_secrets.plugins.base import RegexBasedDetector

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    found = []
    for plugin in sorted(RegexBasedDetector.__subclasses__(), key=lambda c: c.__name__):
        if plugin.__name__ in _SKIPPED_PLUGINS or not plugin.__module__.startswith(package.__name__):
            continue
        kind = re.sub(r"[^a-z0-9]+", "-", str(plugin.secret_type).lower()).strip("-")
        found += [(kind, pattern) for pattern in vars(plugin)["denylist"]]
    return tuple(found)


def _detect_secrets(text: str) -> Iterator[_Span]:
    for first, last in _windows(text):
        for kind, pattern in _plugin_patterns():
            for match in pattern.finditer(text, first, last):
                groups = [match.span(i) for i in range(1, pattern.groups + 1) if match.start(i) >= 0]
                longest = max(groups, key=lambda s: s[1] - s[0], default=(0, 0))
                # A short group is a format's prefix, a long one is the secret itself.
                start, end = longest if longest[1] - longest[0] >= 12 else match.span()
                while start < end and text[start] in " \t\r\n=:\"'":
                    start += 1
                while end > start and text[end - 1] in " \t\r\n\"'":
                    end -= 1
                inside = (start and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum())
                # Within a longer word it is a piece of something encoded; without a digit it is a word.
                if not inside and any(c.isdigit() for c in text[start:end]):
                    yield _Span(start, end, kind)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """The surroundings of each long run with a digit, those that touch taken together."""
    first = last = -1
    for run in _RUN.finditer(text):
        if not any(c.isdigit() for c in run.group()):
            continue
        start, end = max(0, run.start() - _BEFORE_RUN), min(len(text), run.end() + _AFTER_RUN)
        if start <= last:
            last = end
            continue
        if last > first:
            yield first, last
        first, last = start, end
    if last > first:
        yield first, last


def _betterleaks(text: str) -> Iterator[_Span]:
    try:
        import betterleaks

        # Its native side reads up to the first NUL, and can't be given half a surrogate pair.
        readable = re.sub("[\x00\ud800-\udfff]", " ", text)
        findings = betterleaks.scan_string(readable)
    except (ImportError, OSError, RuntimeError) as error:
        _warn_once(str(error))
        return
    for value, kind in {(f.match.value, f.rule_id) for f in findings}:
        if kind.startswith("generic-") and not _looks_random(value, quoted=False):
            continue
        # By value and not by its columns, which count bytes: so each repetition goes, too.
        at = readable.find(value) if len(value) >= 8 else -1
        while at >= 0:
            yield _Span(at, at + len(value), kind)
            at = readable.find(value, at + len(value))


@cache
def _warn_once(reason: str) -> None:
    logger.warning("betterleaks can't be used (%s); secrets are sought by the other patterns alone", reason)
