"""A pretrained encoder that learns to read emotions and intents."""

from hearten.systems.reader.model import EmotionReader

PLUGIN = EmotionReader
