"""bmc from Python."""
