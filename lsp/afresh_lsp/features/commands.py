"""Commands: recall, iterate, answer, save, record, stale, and what is done with one conclusion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afresh.errors import AfreshError, InvalidArgumentError
from afresh_lsp import drafts, reports
from afresh_lsp.features.lenses import SHOW
from afresh_lsp.features.memory_pages import page_of_all
from afresh_lsp.knowledge import Item
from afresh_lsp.progress import progress
from afresh_lsp.uris import path_of, uri_of

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer

VERIFY, RETIRE, DIFF = "afresh.verify", "afresh.retire", "afresh.diff"
RERECORD, RECORD, SAVE = "afresh.rerecord", "afresh.record", "afresh.save"
_Work = Callable[..., Awaitable[Any]]


def register(server: AfreshServer) -> None:
    """Register every command; what goes wrong is shown, and nothing is sent back then."""
    works: Mapping[str, _Work] = {
        "afresh.recall": _recall,
        "afresh.iterate": _iterate,
        "afresh.answer": _answer,
        "afresh.stale": _stale,
        SAVE: _save,
        RECORD: _record,
        RERECORD: _rerecord,
        VERIFY: _verify,
        RETIRE: _retire,
        DIFF: _diff,
        SHOW: _show,
    }
    for name, work in works.items():
        server.command(name)(_command(server, work))

    async def saved(uri: str) -> None:
        path = path_of(uri)
        if path is not None and server.pages.is_draft(path):
            await _record_draft(server, drafts.read_draft(server.text(uri)))

    server.on_saved.append(saved)


def _command(server: AfreshServer, work: _Work) -> Callable[..., Awaitable[Any]]:
    async def run(*arguments: Any) -> Any:
        try:
            return await work(server, *arguments)
        except AfreshError as error:
            server.say(error.message, "error")
        return None

    return run


# --- searching --------------------------------------------------------------------------------------------


async def _recall(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any]:
    arguments = _asked(sent, "query")
    answer = await server.engine.call("recall", arguments, folder=_folder(server))
    result: dict[str, Any] = answer["result"]
    server.open(server.pages.put("recall.md", reports.recalled(result), _folder(server)))
    return result


async def _iterate(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any]:
    arguments = _asked(sent, "query")
    async with progress(server, "Recall in several steps") as on_event:
        result = await server.engine.call(
            "memory_recall_iterative", arguments, folder=_folder(server), on_event=on_event
        )
    server.open(server.pages.put("iterate.md", reports.iterated(result), _folder(server)))
    return result


async def _answer(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any]:
    arguments = _asked(sent, "query")
    arguments.setdefault("project", await _project(server))
    async with progress(server, "Answer from memory") as on_event:
        result = await server.engine.call(
            "memory_answer", arguments, folder=_folder(server), on_event=on_event
        )
    text = reports.answered(arguments["query"], result)
    server.open(server.pages.put("answer.md", text, _folder(server)))
    return result


async def _stale(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any]:
    arguments = dict(sent) if isinstance(sent, Mapping) else {}
    async with progress(server, "What is stale") as on_event:
        result = await server.engine.call("stale", arguments, folder=_folder(server), on_event=on_event)
    server.open(server.pages.put("stale.md", reports.stale(result), Path(result["root"])))
    return result


def _asked(sent: object, name: str) -> dict[str, Any]:
    """A question as a client sends it: a text, or an object of the verb's own arguments."""
    if isinstance(sent, str) and sent.strip():
        return {name: sent}
    if isinstance(sent, Mapping) and sent.get(name):
        return dict(sent)
    raise InvalidArgumentError(f'give a {name}: a text, or an object such as {{"{name}": "…"}}; got {sent!r}')


# --- writing ----------------------------------------------------------------------------------------------


async def _save(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any]:
    result = await server.engine.call("memory_save", _asked(sent, "content"), folder=_folder(server))
    server.say(f"saved as memory {result['id']}" if result["created"] else f"known as memory {result['id']}")
    return result


async def _record(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any] | None:
    """Record what was sent, or open a draft about the lines that were sent."""
    if not isinstance(sent, Mapping):
        raise InvalidArgumentError(
            "give an object: question, conclusion and files; or uri, start_line and end_line for a draft; "
            f"got {sent!r}"
        )
    if "uri" not in sent:
        project = sent.get("project") or await _project(server)
        result = await server.engine.call(
            "memory_exploration_record", {**sent, "project": project}, folder=_folder(server)
        )
        server.say(f"recorded as memo {result['id']}")
        return result
    file = server.files.get(str(sent["uri"]))
    if file is None or file.path is None:
        raise InvalidArgumentError(f"{sent['uri']} is not an open file, and a conclusion rests on files")
    if file.dirty:
        raise InvalidArgumentError(f"{file.path.name} has unsaved changes; save it, then record")
    known = await server.files.knowledge(file.uri)
    if known.root is None or known.path is None:
        raise InvalidArgumentError(f"{file.path} is in no known project; index it first: `afresh index`")
    start, end = sent.get("start_line"), sent.get("end_line")
    where = f"{known.path}:{start}-{end}" if start and end else known.path
    _open_draft(server, file.path.stem, "", "", [where], known.project, known.root)
    return None


async def _rerecord(server: AfreshServer, sent: object = None, *_: object) -> None:
    """Open a draft of a memo as it is, for its new conclusion."""
    kind, id_ = _one(sent)
    if kind != "memo":
        raise InvalidArgumentError(f"memory {id_} is no recorded conclusion; update it with memory_update")
    memo = await server.engine.call("memo", {"id": id_}, folder=_folder(server, (kind, id_)))
    cited = drafts.cited(memo["files"], memo["details"])
    _open_draft(
        server,
        f"memo-{id_}",
        memo["question"],
        memo["conclusion"],
        cited,
        memo["project"],
        Path(memo["root"]),
    )


def _open_draft(
    server: AfreshServer,
    name: str,
    question: str,
    conclusion: str,
    cited: list[str],
    project: str | None,
    root: Path,
) -> None:
    text = drafts.draft_text(question, conclusion, cited, project, str(root))
    path = server.pages.draft(name, text)
    server.open_uri(uri_of(path), f"a draft, recorded when you save it ({path})")


async def _record_draft(server: AfreshServer, draft: drafts.Draft) -> None:
    if draft.missing:
        server.say(f"not recorded yet: the {' and the '.join(draft.missing)} still to be written")
        return
    arguments = {
        "question": draft.question,
        "conclusion": draft.conclusion,
        "files": [dict(one) for one in draft.files],
        "project": draft.project or await _project(server),
    }
    if draft.root is not None:
        arguments["root"] = draft.root
    try:
        result = await server.engine.call("memory_exploration_record", arguments, folder=_folder(server))
    except AfreshError as error:
        server.say(error.message, "error")
        return
    server.say(f"recorded as memo {result['id']}")
    server.files.refresh(server.files.all())


# --- one conclusion ---------------------------------------------------------------------------------------


async def _verify(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any] | None:
    kind, id_ = _one(sent)
    unsaved = [
        file.path.name
        for file in server.files.all()
        if file.dirty and file.path is not None and (kind, id_) in file.known.keys
    ]
    if unsaved:
        # What is on the disk is what would be verified, and nobody looked at that.
        raise InvalidArgumentError(f"{', '.join(unsaved)} has unsaved changes; save, then verify")
    folder = _folder(server, (kind, id_))
    if kind == "memo":
        arguments = {"id": id_, "action": "verify", "note": "verified in the editor"}
        result = await server.engine.call("memory_exploration_verify", arguments, folder=folder)
    else:
        result = await _cited_again(server, id_, folder)
    server.say(f"{kind} {id_} is verified")
    _refresh(server, (kind, id_))
    return result


async def _cited_again(server: AfreshServer, id_: int, folder: Path | None) -> dict[str, Any]:
    """A memory saved again with its sources rests on them as they are now."""
    got = await server.engine.call("memory_get", {"ids": [id_]}, folder=folder)
    if not got["memories"]:
        raise InvalidArgumentError(f"there is no memory {id_} any more")
    memory = got["memories"][0]
    files = [drafts.citation(where) for where in drafts.cited(memory["files"], None)]
    arguments = {
        "content": memory["content"],
        "type": memory["type"],
        "project": memory["project"],
        "files": [dict(one) for one in files],
    }
    return await server.engine.call("memory_save", arguments, folder=folder)


async def _retire(server: AfreshServer, sent: object = None, *_: object) -> dict[str, Any]:
    kind, id_ = _one(sent)
    folder, note = _folder(server, (kind, id_)), "retired in the editor"
    if kind == "memo":
        arguments: dict[str, Any] = {"id": id_, "action": "retire", "note": note}
        result = await server.engine.call("memory_exploration_verify", arguments, folder=folder)
    else:
        result = await server.engine.call("memory_delete", {"id": id_, "reason": note}, folder=folder)
    server.say(f"{kind} {id_} is retired; `afresh {kind} undo {id_}` takes that back")
    _refresh(server, (kind, id_))
    return result


async def _diff(server: AfreshServer, sent: object = None, *_: object) -> str:
    kind, id_ = _one(sent)
    result = await server.engine.call(f"{kind}_diff", {"id": id_}, folder=_folder(server, (kind, id_)))
    text = reports.diff(result)
    server.open(server.pages.put(f"{kind}-{id_}.diff", text, Path(result["root"])))
    return text


async def _show(server: AfreshServer, sent: object = None, *_: object) -> None:
    """Show items that an open file knows of, whole."""
    pairs = sent if isinstance(sent, list) else []
    wanted = [_one(pair) for pair in pairs]
    known: dict[tuple[str, int], Item] = {
        item.key: item for file in server.files.all() for item in file.known.items
    }
    found = [known[key] for key in wanted if key in known]
    if not found:
        raise InvalidArgumentError(f"give [kind, id] of conclusions about an open file; got {sent!r}")
    server.open(page_of_all(server.pages, found))


def _one(sent: object) -> tuple[str, int]:
    """Which conclusion is meant: an id of a memo, [kind, id], or an object of both."""
    kind: object = "memo"
    id_: object = sent
    if isinstance(sent, Mapping):
        kind, id_ = sent.get("kind", "memo"), sent.get("id")
    elif isinstance(sent, list | tuple) and len(sent) == 2:
        kind, id_ = sent
    if kind not in ("memo", "memory") or not isinstance(id_, int) or isinstance(id_, bool):
        raise InvalidArgumentError(f'say which: {{"kind": "memo" or "memory", "id": number}}; got {sent!r}')
    return str(kind), id_


def _folder(server: AfreshServer, key: tuple[str, int] | None = None) -> Path | None:
    """The folder in which a command works: that of a file which knows of it, else the editor's first."""
    for file in server.files.all():
        if key is not None and file.folder is not None and key in file.known.keys:
            return file.folder
    return next(iter(server.files.folders), None)


async def _project(server: AfreshServer) -> str:
    folder = _folder(server)
    if folder is not None:
        place = await server.engine.call("file_knowledge", {"path": str(folder / "-")}, folder=folder)
        if place["project"] is not None:
            return str(place["project"])
        return folder.name
    raise InvalidArgumentError("no folder is open; give a project")


def _refresh(server: AfreshServer, key: tuple[str, int]) -> None:
    server.files.refresh(file for file in server.files.all() if key in file.known.keys)
