"""afresh: memory for coding agents and developers that checks itself against the code."""

__version__ = "0.1.0"
