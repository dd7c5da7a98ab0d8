"""Text becomes examples."""
