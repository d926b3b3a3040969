"""A lock keeps its word: what it expects is judged again, and no fault loses what it holds."""
