"""What the language promises to who writes in it: what it means, what it refuses, what it says."""
