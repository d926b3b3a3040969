"""Sets of executions that cover a protocol, for tests of a system."""
