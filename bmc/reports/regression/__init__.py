"""Regression: a comparison with the lock as a page, Markdown, JUnit, JSON and annotations."""
