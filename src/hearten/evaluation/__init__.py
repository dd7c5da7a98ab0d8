"""How good is it: every published metric under its exact protocol, with intervals."""
