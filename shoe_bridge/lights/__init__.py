"""Desired light state to device commands, one file per kind of lamp."""
