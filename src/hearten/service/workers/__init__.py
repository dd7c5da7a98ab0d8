"""Those who do the answering, and how asks are shared out among them."""
