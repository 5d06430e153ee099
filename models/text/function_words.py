"""English words that are never names, even capitalised: function words.

Listed here because importing spaCy's list would load PyTorch into every worker.
"""

from __future__ import annotations

FUNCTION_WORDS = frozenset(
    # articles, demonstratives, quantities
    "a an the this that these those all another any both each either enough every few fewer "
    "half less least many more most much neither no none other others own same several some "
    "such "
    # pronouns
    "i me my mine myself you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself we us our ours ourselves they them their theirs themselves one "
    "ones oneself who whom whose which what whoever whatever whichever anybody anyone "
    "anything everybody everyone everything nobody nothing somebody someone something "
    # prepositions
    "about above across after against along alongside among amongst around as at before "
    "behind below beneath beside besides between beyond by despite down during except for "
    "from in inside into like near of off on onto out outside over past per since than "
    "through throughout till to toward towards under until unlike up upon via with within "
    "without "
    # conjunctions and question words
    "and but or nor so yet if unless whether because although though while whereas once when "
    "whenever where wherever why how however "
    # auxiliaries
    "am is are was were be been being have has had having do does did doing done can could "
    "may might must shall should will would cannot ought "
    # adverbs of where, when and how that open sentences
    "again ago almost alone already also altogether always anyway anywhere away back barely "
    "down elsewhere especially even eventually ever everywhere finally first further "
    "furthermore hardly here hence indeed instead just last lately later likewise maybe "
    "meanwhile moreover mostly namely nearly nevertheless never next nonetheless not now "
    "nowadays nowhere often only otherwise perhaps probably quite rather really recently "
    "seldom sometimes somewhere soon still subsequently then thence there thereafter thereby "
    "therefore thus today together tomorrow tonight too usually very well yesterday yes "
    # numbers written out
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty "
    "fifty sixty hundred second third "
    # verbs that open sentences without being names
    "see say says said get go goes got give gives given let make makes made put seem seems "
    "seemed take takes took please call show shows".split()
)
