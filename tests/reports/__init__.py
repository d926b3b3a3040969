"""Reports: what they show, and that they show it only."""
