"""Examples teach a system: one loop for all of them."""
