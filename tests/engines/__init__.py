"""Engines are sound: what they prove holds, and what they show can happen."""
