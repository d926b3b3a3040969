"""Sweeps: grids and conditions, limits, stores, schedules, reports, and Spark itself."""
