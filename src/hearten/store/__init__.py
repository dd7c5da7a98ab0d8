"""What people said and did, kept safely: append-only events in SQLite or PostgreSQL."""
