"""Providers over real HTTP: what each kind of failure becomes, and requests that are taken back."""

from __future__ import annotations

import json
import socket
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.app.llm.servers import Fake, drops, fails, says, serving, waits

from afresh.errors import (
    CancelledCallError,
    LlmBusyError,
    LlmFailedError,
    LlmModelMissingError,
    LlmTimeoutError,
    LlmUnavailableError,
    UsageError,
)
from afresh.llm.configured import provider_of
from afresh.llm.ollama import OllamaProvider
from afresh.llm.openai import OpenAiProvider
from afresh.llm.provider import Prompt
from afresh.llm.scripted import ScriptedProvider
from afresh.settings import load

PROMPT = Prompt("be short", "say one")
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def made(kind, host):
    if kind == "ollama":
        return OllamaProvider(host=host, model="tiny", keep_alive="1m", context_tokens=4096)
    return OpenAiProvider(host=host, model="tiny", api_key="k")


def ask(provider, *, cancelled=None, timeout_s=10.0, **arguments):
    return provider.chat(
        PROMPT, max_tokens=32, timeout_s=timeout_s, cancelled=cancelled or threading.Event(), **arguments
    )


@pytest.fixture(params=["ollama", "openai"])
def kind(request):
    return request.param


def test_an_answer_comes_back_as_it_is(kind):
    with serving(Fake(says('{"a": 1}'))) as fake:
        reply = ask(made(kind, fake.host), schema=SCHEMA)
        assert (reply.text, reply.cut_off) == ('{"a": 1}', False)
    (body,) = fake.asked
    assert [message["content"] for message in body["messages"]] == ["be short", "say one"]
    sent = body["format"] if kind == "ollama" else body["response_format"]["json_schema"]["schema"]
    assert sent == SCHEMA


def test_an_answer_that_was_cut_off_says_so(kind):
    with serving(Fake(says("and so on and", done_reason="length"))) as fake:
        assert ask(made(kind, fake.host)).cut_off


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (fails(404, "model 'tiny' not found"), LlmModelMissingError, "'tiny'"),
        (fails(503, "too many requests"), LlmBusyError, "503"),
        (fails(500, "out of memory"), LlmFailedError, "500"),
        (drops, LlmFailedError, None),
    ],
    ids=["no such model", "busy", "failed", "dropped"],
)
def test_what_goes_wrong_is_told_apart(kind, answer, error, told):
    if kind == "openai" and answer is drops:
        error = (LlmFailedError, LlmUnavailableError)
    with serving(Fake(answer)) as fake, pytest.raises(error, match=told):
        ask(made(kind, fake.host))


def test_a_server_that_is_not_there_is_named(kind):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(LlmUnavailableError, match=host):
        ask(made(kind, host))
    assert not made(kind, host).reachable(1.0)


def test_silence_ends_with_the_time_and_the_connection_is_closed(kind):
    fake = Fake(says(""))
    fake._answers = [waits(fake)]
    with serving(fake):
        with pytest.raises(LlmTimeoutError, match=r"0\.4 s"):
            ask(made(kind, fake.host), timeout_s=0.4)
        assert fake.hung_up.wait(10)


def test_a_call_that_is_taken_back_closes_its_connection(kind):
    fake = Fake(says(""))
    fake._answers = [waits(fake)]
    cancelled = threading.Event()
    with serving(fake):
        threading.Thread(target=lambda: fake.arrived.wait(10) and cancelled.set(), daemon=True).start()
        with pytest.raises(CancelledCallError):
            ask(made(kind, fake.host), cancelled=cancelled, timeout_s=30)
        assert fake.hung_up.wait(10)


def test_a_server_that_is_there_is_reachable(kind):
    with serving(Fake(says("x"))) as fake:
        assert made(kind, fake.host).reachable(5.0)


def test_a_scripted_provider_gives_its_answers_in_order(tmp_path):
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"a": 1}, "plain"]), encoding="utf-8")
    provider = ScriptedProvider.from_file(path)
    assert [ask(provider).text, ask(provider).text] == ['{"a": 1}', "plain"]
    with pytest.raises(LlmFailedError, match="no answer left"):
        ask(provider)
    with pytest.raises(LlmModelMissingError, match="other"):
        ask(provider, model="other")


def test_settings_choose_the_provider(tmp_path):
    settings = load({"AFRESH_HOME": str(tmp_path)})
    assert provider_of(settings) is None
    with pytest.raises(UsageError, match="AFRESH_LLM_MODEL"):
        provider_of(replace(settings, llm_provider="ollama"))
    ollama = provider_of(replace(settings, llm_provider="ollama", llm_model="tiny"))
    assert isinstance(ollama, OllamaProvider) and ollama.host == "http://127.0.0.1:11434"
    with pytest.raises(UsageError, match="AFRESH_LLM_HOST"):
        provider_of(replace(settings, llm_provider="openai", llm_model="tiny"))
    with pytest.raises(UsageError, match="can't be read"):
        provider_of(replace(settings, llm_provider="scripted", llm_host=str(Path(tmp_path) / "none.json")))


@pytest.mark.parametrize("prefix", ["AFRESH", "MEMORY"])
@pytest.mark.parametrize(
    ("name", "sent", "allowed"),
    [
        ("CONTRADICTION_SCORER", "jev", "llm, rules"),
        ("CONTRADICTION_SCORER", "nli", "llm, rules"),
        ("CONTRADICTION_POLICY", "ask", "resolve, abstain"),
    ],
)
def test_an_unknown_scorer_or_policy_is_refused_by_name_at_the_start(tmp_path, prefix, name, sent, allowed):
    told = f"^{prefix}_{name} is '{sent}'; it must be one of {allowed}$"
    with pytest.raises(UsageError, match=told):
        load({"AFRESH_HOME": str(tmp_path), f"{prefix}_{name}": sent})


def test_the_names_of_other_memories_are_read_too(tmp_path):
    settings = load({"AFRESH_HOME": str(tmp_path), "MEMORY_CONTRADICTION_POLICY": "abstain"})
    assert settings.contradiction_policy == "abstain"
