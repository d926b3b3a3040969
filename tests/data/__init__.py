"""Data from somebody else: certificates, traces and locks that are not what they seem."""
