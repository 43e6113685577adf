"""What an agent does over stdio, in both protocol eras, against real processes."""

from __future__ import annotations

import mmap
import os

import anyio
import pytest

from afresh.verbs import TOOLS

pytestmark = pytest.mark.anyio
ERAS = ("auto", "legacy")


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


@pytest.mark.parametrize("mode", ERAS)
async def test_the_tools_are_listed_with_titles_annotations_and_schemas(sandbox, mode):
    async with sandbox.client(mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [verb.name for verb in TOOLS]
    for tool in tools:
        assert tool.title and tool.description and tool.annotations is not None
        assert tool.input_schema["type"] == "object" and tool.output_schema is not None


@pytest.mark.parametrize("mode", ERAS)
async def test_a_conclusion_follows_the_bytes_of_its_files(sandbox, mode):
    root = sandbox.root
    async with sandbox.client(mode) as client:
        saved = await call(client, "memory_save", content="Totals are in cents.", type="decision")
        assert saved["created"] and saved["project"] == "shop"
        found = (await call(client, "recall", query="are totals cents"))["result"]
        assert [memory["id"] for memory in found["memories"]] == [saved["id"]]
        question = "How does locking work?"
        await call(
            client,
            "memory_exploration_record",
            question=question,
            conclusion="acquire always succeeds",
            project="shop",
            files=["billing/locks.py", "billing/invoice.py", "main.py"],
        )

        async def memo():
            asked = await call(client, "memory_exploration_recall", question=question, project="shop")
            return asked["results"][0]

        assert (await memo())["status"] == "fresh"
        path = root / "billing" / "locks.py"
        stamps, before = path.stat(), path.read_bytes()
        path.write_bytes(before.replace(b"True", b"Tru3"))
        os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))
        stale = await memo()
        assert (stale["status"], stale["changed_files"]) == ("stale", ["billing/locks.py"])
        path.write_bytes(before)
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            mapped[0:1] = b"C"
        assert (await memo())["changed_files"] == ["billing/locks.py"]
        other = (root / "main.py").read_bytes()
        (root / "main.py").unlink()
        assert (await memo())["missing_files"] == ["main.py"]
        path.write_bytes(before)
        (root / "main.py").write_bytes(other)
        assert (await memo())["status"] == "fresh"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_wrong_argument_is_told_by_name_and_the_session_goes_on(sandbox, mode):
    async with sandbox.client(mode) as client:
        wrong = await client.call_tool("recall", {"query": "x", "limit": 51})
        assert wrong.is_error and "limit" in wrong.content[0].text and "51" in wrong.content[0].text
        unknown = await client.call_tool("recall", {"query": "x", "project": "nowhere"})
        assert unknown.is_error and "no project 'nowhere'" in unknown.content[0].text
        assert (await call(client, "workspace_status"))["project"] == "shop"


async def test_clients_commands_and_a_watch_share_one_keeper(sandbox):
    async with sandbox.client() as one, sandbox.client("legacy") as two:
        first = await call(one, "memory_save", content="Saved by the first client.")
        second = await call(two, "memory_save", content="Saved by the second client.")
        done = await anyio.to_thread.run_sync(lambda: sandbox.run("save", "Saved by the command line."))
        assert done.returncode == 0, done.stderr
        got = await call(two, "memory_get", ids=[first["id"], second["id"]])
        assert len(got["memories"]) == 2
        status = await call(one, "workspace_status")
        assert status["memories"]["total"] >= 3 and status["watch"]["mode"] in ("native", "polling")
        assert len(sandbox.keepers()) == 1


async def test_a_killed_keeper_loses_nothing_acknowledged_and_the_client_goes_on(sandbox):
    acknowledged: list[int] = []
    retried = 0
    async with sandbox.client() as client:
        for n in range(30):
            if n % 10 == 5:
                await anyio.to_thread.run_sync(sandbox.kill_keeper)
            result = None
            while result is None or result.is_error:
                result = await client.call_tool("memory_save", {"content": f"Fact number {n} of the stream."})
                if result.is_error:
                    assert "try again" in result.content[0].text
                    retried += 1
                assert retried < 20
            acknowledged.append(result.structured_content["id"])
        kept = []
        for start in range(0, len(acknowledged), 50):
            kept += (await call(client, "memory_get", ids=acknowledged[start : start + 50]))["memories"]
    assert len({memory["content"] for memory in kept}) == 30
    assert len(sandbox.keepers()) == 1
