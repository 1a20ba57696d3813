"""Edges: one file per kind of hardware or service."""
