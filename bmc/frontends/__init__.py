"""Front ends: texts in languages of others that become protocols, one room a language."""
