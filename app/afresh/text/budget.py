"""How many tokens a text takes, without the tokenizer of any one model.

Every model splits otherwise. Counted is the larger of two numbers that none of the usual ones exceeds by
much: a quarter of the text's UTF-8 bytes, and its words and marks, where a letter of a script without spaces
is a word. So a budget in these tokens is kept in code, prose, Chinese and emoji alike.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"[぀-ヿ㐀-鿿가-힯豈-﫿]|[^\W぀-ヿ㐀-鿿가-힯豈-﫿]+|[^\w\s]")


def count_tokens(text: str) -> int:
    """The tokens of a text, from above."""
    return max(-(-len(text.encode("utf-8", "surrogatepass")) // 4), len(_PIECE.findall(text)))


def cut_to(text: str, tokens: int) -> str:
    """The longest beginning of a text of so many tokens, its end marked; empty where nothing fits."""
    if count_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(f"{text[:middle]} …") <= tokens:
            low = middle
        else:
            high = middle - 1
    if not low:
        return ""
    # At the end of a line or a word, if one is near.
    kept = text[:low]
    for end in ("\n", " "):
        at = kept.rfind(end)
        if at > low * 0.8:
            kept = kept[:at]
            break
    return f"{kept.rstrip()} …"
