"""The language server: memories, freshness and dead claims on the code, through `afresh.client`."""
