from __future__ import annotations

import hashlib
import json
import random
import re
import string
import time
import uuid
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.text import redact as module
from afresh.text.redact import redact

# Secrets are put together here, at run time: nothing in the repository looks like one.
_RANDOM = random.Random(20260301)
_LETTERS_DIGITS = string.ascii_letters + string.digits


def _some(count: int, alphabet: str = _LETTERS_DIGITS) -> str:
    while True:
        made = "".join(_RANDOM.choice(alphabet) for _ in range(count))
        if alphabet != _LETTERS_DIGITS or (
            re.search("[a-z]", made) and re.search("[A-Z]", made) and re.search("[0-9]", made)
        ):
            return made


def _jwt() -> str:
    def part(value: dict[str, object]) -> str:
        return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    header, claims = {"alg": "HS256", "typ": "JWT"}, {"sub": "1234567890", "name": "Ada", "iat": 1516239022}
    return ".".join((part(header), part(claims), _some(43)))


FORMATS: dict[str, Callable[[], str]] = {
    "an AWS access key": lambda: "AKIA" + _some(16, string.ascii_uppercase + "234567"),
    "a temporary AWS access key": lambda: "ASIA" + _some(16, string.ascii_uppercase + "234567"),
    "a fine-grained GitHub token": lambda: "github_" + "pat_" + _some(22) + "_" + _some(59),
    "a GitHub token": lambda: "gh" + "p_" + _some(36),
    "a GitHub server token": lambda: "gh" + "s_" + _some(36),
    "a GitLab token": lambda: "gl" + "pat-" + _some(20),
    "an Anthropic key": lambda: "sk-" + "ant-api03-" + _some(93) + "AA",
    "an OpenAI project key": lambda: "sk-" + "proj-" + _some(74) + "T3Blbk" + "FJ" + _some(74),
    "an old OpenAI key": lambda: "sk-" + _some(20) + "T3Blbk" + "FJ" + _some(20),
    "a Google API key": lambda: "AI" + "za" + _some(35),
    "an npm token": lambda: "npm" + "_" + _some(36),
    "a Hugging Face token": lambda: "hf" + "_" + _some(34, string.ascii_letters),
    "a Slack bot token": lambda: (
        "xo" + "xb-" + _some(12, "123456789") + "-" + _some(13, "123456789") + "-" + _some(24)
    ),
    "a Slack app token": lambda: (
        "xa"
        + "pp-1-A"
        + _some(10, string.ascii_uppercase + "123")
        + "-"
        + _some(13, "123456789")
        + "-"
        + _some(64, "0123456789abcdef")
    ),
    "a Stripe key": lambda: "sk" + "_live_" + _some(24),
    "a restricted Stripe key": lambda: "rk" + "_live_" + _some(40),
    "a Stripe webhook secret": lambda: "wh" + "sec_" + _some(32),
    "a SendGrid key": lambda: "SG" + "." + _some(22) + "." + _some(43),
    "a PyPI token": lambda: "pypi-" + "AgEIcHlwaS5vcmc" + _some(120),
    "a JSON web token": _jwt,
    "a DigitalOcean token": lambda: "dop" + "_v1_" + _some(64, "0123456789abcdef"),
    "a Telegram bot token": lambda: _some(9, "123456789") + ":" + "AA" + _some(33),
}


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize(
    "around", ["{}", "the key is {}, rotate it", 'TOKEN="{}"', "ключ 数据 {}\nnext", "- `{}`"]
)
def test_a_secret_of_a_known_format_is_gone_wherever_it_stands(name: str, around: str) -> None:
    secret = FORMATS[name]()
    result = redact(around.format(secret))
    assert secret not in result.text
    assert "[redacted:" in result.text
    assert sum(count for _, count in result.found) == 1
    before, _, after = around.partition("{}")
    assert result.text.startswith(before)
    assert result.text.endswith(after)


def test_both_halves_of_an_aws_key_pair_are_gone() -> None:
    key, secret = FORMATS["an AWS access key"](), _some(38) + "/+"
    for text in (
        f"[default]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n",
        f'{{"AccessKeyId": "{key}", "SecretAccessKey": "{secret}"}}',
        f"use {key} with {secret} in the sandbox",
    ):
        result = redact(text)
        assert key not in result.text
        assert secret not in result.text
        assert sum(count for _, count in result.found) == 2


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "postgres://app:{}@db.internal:5432/acme",
            "postgres://app:[redacted:url-password]@db.internal:5432/acme",
        ),
        ("redis://:{}@cache:6379/0", "redis://:[redacted:url-password]@cache:6379/0"),
        (
            "clone https://ci:{}@git.example.org/x.git now",
            "https://ci:[redacted:url-password]@git.example.org/x.git",
        ),
        (
            "Server=db;Database=a;User Id=sa;Password={};Encrypt=true",
            "Password=[redacted:connection-password];Encrypt",
        ),
        ("Authorization: Bearer {}", "Authorization: Bearer [redacted:"),
        ("DB_PASSWORD={}", "DB_PASSWORD=[redacted:"),
        ('api_key: "{}"', 'api_key: "[redacted:'),
    ],
)
def test_a_password_goes_and_what_it_opens_stays(text: str, kept: str) -> None:
    secret = "q7" + _some(14) + "Z9"
    result = redact(text.format(secret))
    assert secret not in result.text
    assert kept in result.text


def _pem(name: str = "RSA ", lines: int = 12, end: str = "\n") -> tuple[str, list[str]]:
    body = [b64encode(_RANDOM.randbytes(48)).decode() for _ in range(lines)] + ["Qz" + _some(9) + "=="]
    dashes = "-" * 5
    return end.join(
        [f"{dashes}BEGIN {name}PRIVATE KEY{dashes}", *body, f"{dashes}END {name}PRIVATE KEY{dashes}"]
    ), body


@pytest.mark.parametrize("name", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", '\\n" +\n  "', "\n    "])
def test_a_private_key_is_one_redaction_however_its_lines_are_joined(name: str, end: str) -> None:
    block, body = _pem(name, end=end)
    result = redact(f"before\n{block}\nafter")
    assert result.found == (("private-key", 1),)
    assert result.text == "before\n[redacted:private-key]\nafter"
    assert not any(line in result.text for line in body)


@pytest.mark.parametrize("kept", [1, 3, 11])
def test_a_private_key_that_was_cut_off_at_its_end_is_gone(kept: int) -> None:
    block, _ = _pem()
    lines = block.split("\n")[: kept + 1]
    result = redact("\n".join(["the log says:", *lines]))
    assert result.text == "the log says:\n[redacted:private-key]"


def test_a_private_key_that_was_cut_off_within_a_line_is_gone() -> None:
    block, body = _pem()
    result = redact(block[: block.index(body[4]) + 7])
    assert result.text == "[redacted:private-key]"


def test_a_private_key_that_lost_its_beginning_is_gone() -> None:
    block, body = _pem()
    result = redact("tail of the file\n" + block[block.index(body[3]) :])
    assert not any(line in result.text for line in body[3:])
    assert result.text.startswith("tail of the file\n")


def test_what_follows_a_private_key_stays() -> None:
    block, _ = _pem(lines=3)
    cut = "\n".join(block.split("\n")[:4])
    assert redact(cut + "\n\nWe rotate such keys each quarter.").text.endswith(
        "We rotate such keys each quarter."
    )


def test_the_mere_mention_of_a_private_key_is_no_secret() -> None:
    dashes = "-" * 5
    text = f"The file must begin with {dashes}BEGIN PRIVATE KEY{dashes} or else it is refused."
    assert redact(text).text == text


ORDINARY = [
    "sha256 " + hashlib.sha256(b"x").hexdigest(),
    "commit " + hashlib.sha1(b"y").hexdigest() + " broke the build",
    "md5:" + hashlib.md5(b"z", usedforsecurity=False).hexdigest(),
    "request " + str(uuid.UUID(int=0x1234567890ABCDEF1234567890ABCDEF)),
    "data:image/png;base64," + b64encode(random.Random(1).randbytes(3000)).decode(),
    '"integrity": "sha512-' + b64encode(random.Random(2).randbytes(64)).decode() + '"',
    "password = os.environ['DB_PASSWORD']",
    "token = request.headers.get('X-Token-Id2')",
    'DATABASE_URL = f"postgres://{user}:{password}@{host}/db"',
    "postgres://user:password@localhost/test and https://user:${TOKEN}@example.org",
    "api_key: str = Field(default=None, description='the key2 to use')",
    "def test_the_secret_of_AKIA_prefixes(): ...",
    "secret_key_base = Rails.application.credentials.secret_key_base",
    "The keyboard shortcut is Ctrl-Shift-P; see docs/key-bindings.md",
    "AUTH_TOKEN_EXPIRES_IN_SECONDS=86400",
    "password: SecretStr | None = None",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_code_and_hashes_raise_no_alarm(text: str) -> None:
    assert redact(text) == module.Redacted(text, ())


def test_each_repetition_of_a_secret_is_gone_and_counted() -> None:
    secret = FORMATS["a GitHub token"]()
    result = redact(f"{secret}\n{secret} and again {secret}")
    assert secret not in result.text
    assert [count for _, count in result.found] == [3]


def test_a_secret_behind_a_nul_or_half_a_surrogate_pair_is_gone() -> None:
    secret = FORMATS["a SendGrid key"]()
    assert secret not in redact(f"a\x00b \ud83d {secret}").text


@given(st.text(max_size=300), st.sampled_from(sorted(FORMATS)), st.text(max_size=50))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_redacting_twice_changes_nothing_more(before: str, name: str, after: str) -> None:
    once = redact(f"{before} {FORMATS[name]()} {after}")
    twice = redact(once.text)
    assert twice.text == once.text


def test_a_text_of_100_000_characters_is_bounded_work() -> None:
    redact("warm")
    started = time.process_time()
    redact(b64encode(random.Random(3).randbytes(75_000)).decode())
    redact("a" * 100_000)
    redact("://" * 33_000)
    redact("password=" * 11_000)
    redact("-----BEGIN PRIVATE KEY-----\n" * 3_500)
    redact("server=" * 14_000)
    # A bound against quadratic work, far above what a loaded machine needs for linear work.
    assert time.process_time() - started < 20


def test_without_betterleaks_the_other_patterns_still_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import betterleaks

    def broken(_text: str) -> list[object]:
        raise OSError("no library for this system")

    monkeypatch.setattr(betterleaks, "scan_string", broken)
    module._warn_once.cache_clear()
    secret = FORMATS["an npm token"]()
    assert secret not in redact(f"use {secret}").text
    assert "no library for this system" in caplog.text
