"""The ways in: the command line, MCP, and the stdio pump. No retrieval logic lives here."""
