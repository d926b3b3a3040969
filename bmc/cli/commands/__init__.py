"""Commands: a file for each, beside what only that command needs."""
