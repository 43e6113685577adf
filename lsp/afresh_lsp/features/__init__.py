"""What the editor is offered, one module for each family; each registers its handlers with a server."""

from afresh_lsp.features import (
    actions,
    commands,
    completion,
    contents,
    diagnostics,
    hints,
    hovers,
    lenses,
    lifecycle,
    links,
    symbols,
)

FAMILIES = (
    lifecycle,
    diagnostics,
    lenses,
    hovers,
    commands,
    actions,
    symbols,
    links,
    completion,
    hints,
    contents,
)
"""In the order in which they are registered."""
