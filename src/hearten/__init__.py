"""hearten: open-source empathetic conversation."""
