"""A trace is understood from its page alone, and every protocol can be drawn."""
