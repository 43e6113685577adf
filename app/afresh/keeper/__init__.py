"""The one process that owns the database: election, socket, connections, and how others reach it."""
