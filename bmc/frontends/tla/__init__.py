"""The TLA+ front end: modules and a TLC configuration become Core, and Core becomes a model.

`syntax` reads text, `modules` finds what a module extends and instantiates, `config` reads the
.cfg, `elaborate` resolves every name; what they make is `core`. Nothing of a specification is
ever executed.
"""
