"""Reports: how verdicts, traces and explorations are put before a person or a program.

A report reads evidence and says it again, on a page (`page` and what writes on it) or as one
JSON document (`documents`, whose schema is docs/result.schema.json). Nothing here decides,
searches or reads the command line.
"""
