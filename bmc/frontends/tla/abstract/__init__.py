"""The shapes that a specification's variables take: an abstract interpretation of its steps."""
