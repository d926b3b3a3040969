"""What is exported means to other readers what it means here."""
