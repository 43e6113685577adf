"""Parts that several screens are made of."""
