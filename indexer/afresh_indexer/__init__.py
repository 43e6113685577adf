"""The indexer: a file system in, plain records out.

It imports nothing of the rest of afresh and knows no database: what is known already comes in as an
argument (`known`), and what was found goes out as frozen records (`records`).
"""
