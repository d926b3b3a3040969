"""Traces: states and steps as text, ITF, HTML pages and sequence diagrams."""
