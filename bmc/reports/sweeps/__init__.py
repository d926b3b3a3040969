"""Sweeps: the table of a parameter sweep as HTML, Markdown, plots and a page."""
