"""Sweeps: one solver job for each choice of parameters and property, on Spark, into Parquet.

What lies between a grid and a table: which jobs there are, which of them are done already, in
what order the rest runs, and the processes that keep a job inside its limits. What a table looks
like to a reader is the business of `bmc.reports`.
"""
