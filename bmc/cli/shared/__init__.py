"""What several commands share: their options, the catalogue, verdicts, progress and exit codes."""
