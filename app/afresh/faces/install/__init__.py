"""Connecting agents and editors: what `afresh install` writes into their configuration and takes out."""
