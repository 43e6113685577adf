"""The official TypeScript clients and the MCP inspector against the installed command, where node is.

`.ci/run` installs their packages into `.node`; AFRESH_NODE_MODULES names another folder of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.sandbox import AFRESH, Sandbox

from afresh.faces.resource_kinds import KINDS
from afresh.verbs import TOOLS

TOP = Path(__file__).resolve().parents[2]
MODULES = Path(os.environ.get("AFRESH_NODE_MODULES") or TOP / ".node" / "node_modules")
SCRIPT = Path(__file__).with_name("typescript_client.cjs")
OFFICIAL = MODULES / "@modelcontextprotocol"

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not OFFICIAL.is_dir(), reason="no node, or not its packages"
)

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("workspace_status", {}),
    ("memory_save", {"content": "Invoices are totalled in cents.", "type": "decision", "path": "billing"}),
    ("memory_update", {"id": "$memory", "content": "Invoices are totalled in whole cents."}),
    ("memory_get", {"ids": ["$memory"], "history": True}),
    ("recall", {"query": "how are invoices totalled"}),
    ("recall_context", {"query": "how are invoices totalled", "max_tokens": 500}),
    ("memory_recall_iterative", {"query": "how are invoices totalled", "max_iters": 2}),
    ("memory_answer", {"query": "how are invoices totalled", "project": "shop"}),
    (
        "memory_exploration_record",
        {
            "question": "Does acquire always succeed?",
            "conclusion": "Yes.",
            "project": "shop",
            "files": [{"path": "billing/locks.py", "symbol": "Lock.acquire"}],
        },
    ),
    ("memory_exploration_recall", {"question": "does acquire succeed", "project": "shop"}),
    ("memory_exploration_verify", {"id": "$memo", "action": "verify"}),
    ("retrieve_memory", {"prompt": "how are invoices totalled"}),
    ("memory_delete", {"id": "$memory"}),
    ("memory_delete", {"id": "$memory", "undo": True}),
]
PROMPTS = {
    "remember": {"content": "Locks are reentrant.", "type": "lesson"},
    "recall": {"question": "how are invoices totalled"},
    "explore": {"question": "does acquire succeed"},
    "answer": {"question": "how are invoices totalled"},
    "stale": {},
    "handoff": {"focus": "locks"},
}
COMPLETIONS = [
    (
        {
            "ref": {"type": "ref/prompt", "name": "recall"},
            "argument": {"name": "project", "value": "sh"},
        },
        ["shop"],
    ),
    (
        {
            "ref": {"type": "ref/prompt", "name": "remember"},
            "argument": {"name": "type", "value": "de"},
        },
        ["decision"],
    ),
    (
        {
            "ref": {"type": "ref/prompt", "name": "remember"},
            "argument": {"name": "path", "value": "bil"},
            "context": {"arguments": {"content": "x"}},
        },
        ["billing"],
    ),
    (
        {
            "ref": {"type": "ref/resource", "uri": "afresh://project/{project}/stale"},
            "argument": {"name": "project", "value": ""},
        },
        ["shop"],
    ),
]
VALUES = {"project": "shop", "memo": "$memo", "memory": "$memory", "run": "$run", "answer": "$answer"}


def have(package: str) -> bool:
    return (OFFICIAL / package / "package.json").is_file()


@pytest.mark.parametrize(
    ("package", "mode", "era"),
    [
        pytest.param("sdk", "legacy", "legacy", id="SDK 1"),
        pytest.param("client", "legacy", "legacy", id="SDK 2, handshake era"),
        pytest.param("client", "auto", "modern", id="SDK 2, the era without a handshake"),
    ],
)
def test_an_official_client_reaches_everything(sandbox: Sandbox, package: str, mode: str, era: str) -> None:
    if not have(package):
        pytest.skip(f"no @modelcontextprotocol/{package}")
    assert sandbox.run("index").returncode == 0
    tools = [verb.name for verb in TOOLS]
    calls = [(tool, given) for tool, given in CALLS if tool in tools]
    assert {tool for tool, _ in calls} == set(tools)
    uris = [kind.template.replace(f"{{{kind.variable}}}", VALUES[kind.completes]) for kind in KINDS]
    done = subprocess.run(
        ["node", str(SCRIPT)],
        input=json.dumps(
            {
                **{"modules": str(MODULES), "package": package, "mode": mode},
                **{"command": AFRESH, "args": ["mcp"], "env": sandbox.env, "cwd": str(sandbox.root)},
                **{"calls": calls, "uris": uris, "prompts": PROMPTS},
                "completions": [request for request, _ in COMPLETIONS],
                "edited": {
                    "uri": "afresh://memo/$memo",
                    "path": str(sandbox.root / "billing" / "locks.py"),
                    "content": "class Lock:\n    def acquire(self):\n        return False\n",
                },
            }
        ),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert (seen["era"], seen["server"]["name"]) == (era, "afresh")
    assert "memory_exploration_recall" in seen["instructions"]
    assert seen["tools"] == tools
    assert {tool: call["error"] for tool, call in seen["calls"].items()} == dict.fromkeys(tools)
    for verb in TOOLS:
        required = {name for name, field in verb.result.model_fields.items() if field.is_required()}
        assert required <= set(seen["calls"][verb.name]["keys"])
    listed = {item["uri"]: item for item in seen["resources"]}
    assert {"afresh://project/shop/stale"} < set(listed)
    assert all(item["title"] for item in listed.values())
    assert seen["templates"] == [kind.template for kind in KINDS]
    assert set(seen["read"]) >= set(listed)
    assert len(seen["read"]) >= len(KINDS)
    assert all(text.startswith("# ") for text in seen["read"].values())
    assert seen["listed_prompts"] == list(PROMPTS)
    assert "whole cents" in "".join(seen["prompts"]["recall"])
    assert "Does acquire always succeed?" in "".join(seen["prompts"]["explore"])
    assert seen["completions"] == [values for _, values in COMPLETIONS]
    assert seen["told"].startswith("afresh://memo/")


def inspect(sandbox: Sandbox, *arguments: str) -> Any:
    """One run of the inspector's command line; what it printed."""
    package = json.loads((OFFICIAL / "inspector" / "package.json").read_text(encoding="utf-8"))
    program = OFFICIAL / "inspector" / package["bin"]["mcp-inspector"]
    done = subprocess.run(
        ["node", str(program), "--cli", AFRESH, "mcp", *arguments],
        cwd=sandbox.root,
        env=sandbox.env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspectors_command_line_reaches_everything(sandbox: Sandbox) -> None:
    if not have("inspector"):
        pytest.skip("no @modelcontextprotocol/inspector")
    assert sandbox.run("index").returncode == 0
    tools = inspect(sandbox, "--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == [verb.name for verb in TOOLS]
    content = "content=Invoices are totalled in whole cents."
    call = ("--method", "tools/call", "--tool-name")
    saved = inspect(sandbox, *call, "memory_save", "--tool-arg", content)["structuredContent"]
    found = inspect(sandbox, *call, "recall", "--tool-arg", "query=invoices", "--tool-arg", "limit=3")
    assert found["structuredContent"]["result"]["memories"][0]["id"] == saved["id"]
    listed = inspect(sandbox, "--method", "resources/list")["resources"]
    assert "afresh://project/shop/stale" in [item["uri"] for item in listed]
    (read,) = inspect(sandbox, "--method", "resources/read", "--uri", f"afresh://memory/{saved['id']}")[
        "contents"
    ]
    assert "whole cents" in read["text"]
    templates = inspect(sandbox, "--method", "resources/templates/list")["resourceTemplates"]
    assert [item["uriTemplate"] for item in templates] == [kind.template for kind in KINDS]
    prompts = inspect(sandbox, "--method", "prompts/list")["prompts"]
    assert [prompt["name"] for prompt in prompts] == list(PROMPTS)
    prompt = ("--method", "prompts/get", "--prompt-name", "recall")
    got = inspect(sandbox, *prompt, "--prompt-args", "question=how are invoices totalled")
    assert "whole cents" in got["messages"][0]["content"]["text"]
