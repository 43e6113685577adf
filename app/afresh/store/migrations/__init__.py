"""Numbered SQL, one file a version; `afresh.store.schema` applies it."""
