"""The eight intents in the words of somebody who says what they need."""

from hearten.taxonomy import INTENTS

WORDS = {
    "questioning": ("Ask me", "Ask about it, so that I can tell more."),
    "agreeing": ("See it my way", "Tell me that I am not wrong to see it like this."),
    "acknowledging": ("Just listen", "Show me that you heard what I said."),
    "sympathizing": ("Feel with me", "Be sorry with me for a moment."),
    "encouraging": ("Encourage me", "Give me courage for what comes."),
    "consoling": ("Comfort me", "Say something that soothes."),
    "suggesting": ("Advise me", "Give me an idea of what I could do."),
    "wishing": ("Wish me well", "Send me off with a good wish."),
}


def intents() -> list[dict[str, str]]:
    """List them."""
    return [{"id": name, "label": WORDS[name][0], "about": WORDS[name][1]} for name in INTENTS]
