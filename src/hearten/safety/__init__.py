"""Crisis messages, the fixed answers to them with helplines, and replies that no person should see. Logs nothing."""
