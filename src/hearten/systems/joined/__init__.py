"""Several trained retrieval encoders as one."""

from hearten.systems.joined.model import JoinedRetrieval

PLUGIN = JoinedRetrieval
