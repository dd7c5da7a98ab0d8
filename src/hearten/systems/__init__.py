"""One folder per system, and nothing else in here. A folder's name is the name of its system."""
