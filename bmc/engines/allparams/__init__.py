"""Proofs for all parameter values at once: ground instances found by models, in processes.

What has to be proven comes from `bmc.system.parametric`; what was proven is judged by
`bmc.evidence`. Nothing here is trusted.
"""
