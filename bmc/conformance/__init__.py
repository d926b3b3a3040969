"""Checks what a running system logged against the protocol that it should follow."""
