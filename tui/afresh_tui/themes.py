"""Two themes of our own, and the variables that every theme needs here.

Contrast is at least WCAG's AA for each pair of colours that is used for text; a test computes it.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

DARK = Theme(
    name="afresh-dark",
    dark=True,
    primary="#74bfd0",
    secondary="#9db4e8",
    accent="#e5b567",
    success="#86c995",
    warning="#e5b567",
    error="#f2938a",
    foreground="#d6dde4",
    background="#12171c",
    surface="#191f26",
    panel="#222a33",
    variables={
        "text": "#d6dde4",
        "text-muted": "#99a7b3",
        "text-disabled": "#8593a0",
        "text-primary": "#86cbdb",
        "text-secondary": "#a9beee",
        "text-accent": "#e9bd75",
        "text-success": "#8fd09e",
        "text-warning": "#e9bd75",
        "text-error": "#f59d94",
        "border": "#3a4753",
        "border-blurred": "#2a333d",
        "block-cursor-background": "#233a45",
        "block-cursor-foreground": "#f3f7fa",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#202a33",
        "block-cursor-blurred-foreground": "#d6dde4",
        "block-hover-background": "#1e262e",
        "input-selection-background": "#74bfd0 35%",
        "footer-background": "#191f26",
        "footer-key-foreground": "#86cbdb",
        "footer-description-foreground": "#a7b3be",
        "scrollbar": "#3a4753",
        "scrollbar-hover": "#516373",
        "scrollbar-active": "#74bfd0",
        "scrollbar-background": "#12171c",
        "scrollbar-background-hover": "#12171c",
        "scrollbar-background-active": "#12171c",
        "match": "#4a3f1f",
        "match-text": "#ffe3a8",
        "chip": "#222a33",
        "chip-set": "#1f4450",
        "bar": "#4f93a3",
        "diff-added": "#16291f",
        "diff-added-word": "#23553a",
        "diff-added-text": "#b5e3c1",
        "diff-removed": "#331d1f",
        "diff-removed-word": "#6b2c31",
        "diff-removed-text": "#f3c0bb",
        "diff-cited": "#e5b567",
        "diff-number": "#8593a0",
    },
)

LIGHT = Theme(
    name="afresh-light",
    dark=False,
    primary="#0b6276",
    secondary="#3f5196",
    accent="#7d5200",
    success="#1d6637",
    warning="#7d5200",
    error="#ad241c",
    foreground="#22282d",
    background="#fcfbf8",
    surface="#f4f2ec",
    panel="#e9e6de",
    variables={
        "text": "#22282d",
        "text-muted": "#58616a",
        "text-disabled": "#5f6871",
        "text-primary": "#0b5c6f",
        "text-secondary": "#3b4c8f",
        "text-accent": "#744c00",
        "text-success": "#1a5f33",
        "text-warning": "#744c00",
        "text-error": "#a3211a",
        "border": "#b9b4a8",
        "border-blurred": "#d6d2c8",
        "block-cursor-background": "#cfe4ea",
        "block-cursor-foreground": "#10161a",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#e7e5de",
        "block-cursor-blurred-foreground": "#22282d",
        "block-hover-background": "#efede6",
        "input-selection-background": "#0b6276 25%",
        "footer-background": "#f0ede6",
        "footer-key-foreground": "#0b5c6f",
        "footer-description-foreground": "#4c555d",
        "scrollbar": "#c4bfb3",
        "scrollbar-hover": "#a39d90",
        "scrollbar-active": "#0b6276",
        "scrollbar-background": "#fcfbf8",
        "scrollbar-background-hover": "#fcfbf8",
        "scrollbar-background-active": "#fcfbf8",
        "match": "#ffe59a",
        "match-text": "#3a2a00",
        "chip": "#e9e6de",
        "chip-set": "#cfe4ea",
        "bar": "#4c93a3",
        "diff-added": "#e3f3e6",
        "diff-added-word": "#b5dfbf",
        "diff-added-text": "#12401f",
        "diff-removed": "#fbe8e6",
        "diff-removed-word": "#f3bdb7",
        "diff-removed-text": "#6d1712",
        "diff-cited": "#7d5200",
        "diff-number": "#5f6871",
    },
)

OURS = (DARK, LIGHT)

_OWN = ("match", "match-text", "chip", "chip-set", "bar", "diff-")


def defaults(dark: bool) -> Mapping[str, str]:
    """Our own variables for a theme that doesn't know them."""
    theme = DARK if dark else LIGHT
    return {name: value for name, value in theme.variables.items() if name.startswith(_OWN)}
