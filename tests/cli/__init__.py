"""The command line keeps its contract: one answer, one exit code, text that cannot mislead."""
