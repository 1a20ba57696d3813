"""Rule profiles as data, and the book that gives the fold its rule numbers."""
