"""Reads what other programs remember, as rows for an import: pure parsers, one module a program.

Each memory gets an external id by which it is known again, so that a second import updates and never doubles.
"""
