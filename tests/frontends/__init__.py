"""Front ends: protocols written in other languages."""
