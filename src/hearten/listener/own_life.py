"""Does a reply claim a life that a program does not have: a mother, a dog, a journey, a taste?

The corpus was written by people who answer with stories of their own, and a model learns that too. What people tell of
themselves has no end; what a listener says in the first person has: he is sorry, he hopes, he wonders. So every clause
that begins with "I" is a claim unless the first word that carries its meaning is one of a listener's.
"""

import re

from hearten.data.tokens import words

KIN = words("""
    mom mum mother dad father parents wife husband son sons daughter daughters brother brothers sister sisters kid kids
    child children baby boyfriend girlfriend fiance fiancee family grandma grandpa grandmother grandfather grandparents
    uncle aunt cousin nephew niece friend friends roommate neighbor neighbors neighbour neighbours boss coworker dog
    dogs cat cats puppy kitten pet pets car house home apartment job school class birthday wedding childhood ex favorite
    favourite
""")
OWN = re.compile(rf"\b(?:my|our) (?:\w+ )?(?:{'|'.join(KIN)})\b")
LIVED = re.compile(
    "|".join(
        [
            r"\bi(?:'ve| have)? (?:(?:just|also|once|actually|recently|never|always|only) )*"
            r"(?:had|been|done|seen|used to|did (?:that|the same))\b"
            r"(?! no idea| the feeling| thinking| wondering| hoping)",
            r"\b(?:yes|yeah|yep|no|nope|sure)\b[,.! ]+i (?:sure )?(?:do|did|have|had|am|was|don't|didn't|haven't)"
            r"(?=[.,!]|$| (?:a|an|my|one|two|too)\b)",
            r"\bwhen i was\b|\b(?:happened|happens) to me\b|\bi remember\b",
            r"\bsame here\b|\bme too\b|\bi (?:do|am) too\b|\bmine\b",
            r"\bwe (?:\w+ )?(?:had|went|got|bought|moved|ended|lost|adopted)\b",
        ]
    )
)
"""Claims that the words behind "I" do not give away."""
CARELESS = re.compile(r"\bi(m|ve)\b")
CLAUSE = re.compile(r"(?<!if )(?<!can )(?<!may )\bi\b(?: ?'(\w+))?((?: +[\w'-]+)*)")
MIGHT = frozenset(words("would wouldnt should shouldnt might may must d could couldnt wouldve"))
"""With these a clause tells of no fact."""
LIGHT = frozenset(
    words("""
    m am was were ve have havent had hadnt do dont did didnt does can cant cannot ll will wont be been being not to
    want wanted need love like hate enjoy get got used going gonna
    really also just once actually recently never always only so very truly still even honestly totally completely
    definitely certainly absolutely too quite kind sort of kinda both often sometimes usually probably deeply genuinely
    simply sincerely pretty extremely super more much little currently personally
    """)
)
"""Words that leave open what a clause says; the next one decides."""
HEARD = frozenset(
    words("""
    sorry glad happy sure proud impressed excited relieved surprised shocked curious here certain amazed confident
    saddened sad interested listening thrilled touched jealous envious positive concerned worried afraid familiar
    hope hoping think thinking thought know knew understand understood believe guess guessing bet imagine
    imagining see seeing hear hearing heard feel feeling felt wish mean meant wonder wondering agree appreciate suppose
    assume presume figure figured say saying ask asking tell suggest recommend relate help expect hug admire respect
    follow listen keep keeping look looking admit read trust faith doubt stand congratulate thank take blame rooting
    cross right missing honest
    how when what your you that if with for why who where i
    """)
)
"""What a listener says of himself, and words that lead on to somebody else."""
JOINING = frozenset(words("or and but because either"))
"""What ends a clause without a mark."""
POINTING = frozenset(words("it this them him her"))
"""What a listener may love, unless he was asked what he loves."""
IDIOM = re.compile(
    r"(?:no|an?|some|the|any) (?:(?:very|good|bad|strong|great) )?"
    r"(?:idea|feeling|questions?|hunch|doubt|clue|bit|little|program|listener|sense|same way)\b|high hopes\b"
)


def tells_of_itself(text: str, is_asked: bool = False) -> bool:
    """Say whether a reply claims a life; asked for one, "I do" and "I love it" are claims as well."""
    plain = CARELESS.sub(r"i'\1", text.lower().replace("\u2019", "'"))
    return bool(OWN.search(plain) or LIVED.search(plain)) or any(
        _claims([found[1] or "", *found[2].split()], is_asked) for found in CLAUSE.finditer(plain)
    )


def _claims(said: list[str], is_asked: bool) -> bool:
    """Judge a clause by its first word that is not light."""
    rest = [word.replace("'", "") for word in said if word]
    while rest and rest[0] in LIGHT:
        rest.pop(0)
    if not rest or rest[0] in JOINING:
        return is_asked and any(said)
    if rest[0] in MIGHT or rest[0] in HEARD or IDIOM.match(" ".join(rest)):
        return False
    return is_asked or rest[0] not in POINTING
