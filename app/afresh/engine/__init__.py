"""The engine: one file for each verb, over the store and the text rooms."""
