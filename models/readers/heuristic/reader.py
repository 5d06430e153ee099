"""The reader that needs no network: rules and a small judge of what they give, deterministic.

    sentence -> its subject named -> taken apart into propositions -> questions
    line     -> "Key: value" below a heading is a proposition and a QA pair
    table    -> a proposition a row, a QA pair a cell
    data     -> a proposition and a QA pair a line; a question and its answer as they stand
    question -> paired with the sentence that follows it; on a line of its own, with the paragraph

It is cheap, precise and incomplete: where no rule is sure the sentence stays whole, and what cannot
be read by itself is a fault. Of what is left, a small learned judge drops what is probably wrong
(`unit_judge`). The rules are made for English; of other languages sentences are propositions as
they stand, and nothing is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmill.models.readers.fact_rules import (
    SUBJECT_PREPOSITIONS,
    fact_fault,
    pronoun_subject,
    quotes_hidden,
)
from factmill.models.readers.heuristic.aligned_text import AlignedText, Rewrite, realigned, verbatim
from factmill.models.readers.heuristic.attribute_questions import (
    as_noun,
    attribute_question,
    is_attribute,
)
from factmill.models.readers.heuristic.clauses import split_clauses
from factmill.models.readers.heuristic.cloze import questions_from
from factmill.models.readers.heuristic.coreference import PronounResolver
from factmill.models.readers.heuristic.data_segments import read_data
from factmill.models.readers.heuristic.days_without_year import has_day_without_year
from factmill.models.readers.heuristic.decomposition import Part, decompose, names_its_subject
from factmill.models.readers.heuristic.english import is_english
from factmill.models.readers.heuristic.headed_answers import headed_answers, is_about
from factmill.models.readers.heuristic.key_lines import (
    KeyValue,
    below_heading,
    described_by,
    key_value,
    may_be_asked_for,
)
from factmill.models.readers.heuristic.lexicon import SUBORDINATORS
from factmill.models.readers.heuristic.list_labels import (
    behind_label,
    behind_repeated_label,
    behind_title,
)
from factmill.models.readers.heuristic.moving_figures import (
    MOVING_FIGURE,
    is_so_for_now,
    moves,
    quotes_a_price,
)
from factmill.models.readers.heuristic.page_fragments import lists_sources
from factmill.models.readers.heuristic.page_kinds import (
    quotes_customers,
    talk_fault,
    title_names_subject,
)
from factmill.models.readers.heuristic.page_subject import page_subject
from factmill.models.readers.heuristic.self_contained import names_something, reference_fault
from factmill.models.readers.heuristic.statement_forms import (
    capitalized,
    finished,
    short_fault,
    spaced_once,
)
from factmill.models.readers.heuristic.statements import states_something
from factmill.models.readers.heuristic.table_rows import read_table
from factmill.models.readers.heuristic.unit_judge import unit_judge
from factmill.models.readers.heuristic.unit_neighbours import Neighbours
from factmill.models.readers.heuristic.unit_surroundings import Surroundings
from factmill.models.readers.heuristic.whole_sentences import read_whole_sentences
from factmill.models.readers.question_rules import PRONOUNS, pair_faults, words
from factmill.models.readers.reading import (
    NO_UNITS,
    AtomicQuestion,
    Fault,
    PageContext,
    Reading,
    Statement,
)
from factmill.models.text.sentences import split_sentences
from factmill.models.text.titles import read_title
from factmill.schemas.errors import Rejected
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.records import Segment

# Rules are made for sentences people write; longer ones are kept whole, unsplit and unquestioned.
MAX_RULE_CHARACTERS = 600
# Marks of citation, and brackets that nothing is left in: "()", "( or ; )", "(] )".
_CITATION = re.compile(
    r"\s?\[(?:\d{1,3}|[a-z]|note \d{1,2}|citation needed)\]|\s?\((?:[^\w()]|\bor\b|\band\b)*\)"
)
# What ties a sentence to the one before it, and says nothing.
_CONNECTIVE = re.compile(
    r"(?:(?:However|Moreover|Furthermore|Additionally|In addition|In fact|Indeed|Of course"
    r"|For example"
    r"|For instance|Nevertheless|Nonetheless|Notably|Interestingly|Accordingly|Consequently),\s"
    r"|(?:But|And)\s)(?=[^\W_])"
)
# Of a web page whose kind nobody guessed: its tables are read as those of other web pages.
_SOME_KIND = "unknown"
# A look that spares most sentences the question whether a pronoun is their subject.
_MAY_OPEN_WITH_PRONOUN = re.compile(
    rf"\W*(?:{'|'.join(sorted(PRONOUNS | SUBJECT_PREPOSITIONS))})\b", re.IGNORECASE
)
# What may be said of anything.
_SAYS_LITTLE = re.compile(
    r"(?:an?|the|one of the) (?:[\w-]+ )?(?:process|concept|measure|solution|thing|way|choice"
    r"|option|idea|matter)"
    r"|(?:an?|one of the) (?:[\w-]+ ){0,2}(?:platform|establishment|value|take|offerings?)"
    r"(?: (?:on|in|for) .*)?"
    r"|the (?:fastest|largest|biggest|best|greatest|most|up-and-comer|embodiment)\b"
    r"(?!.*\b(?:of|in|on|at)\b).*"
)


class HeuristicReader:
    """Reads a segment by rule. Stateless: one instance may read any number of segments."""

    fingerprint = "heuristic-" + code_fingerprint(
        (
            "models/readers/heuristic",
            "models/readers/reading.py",
            "models/readers/fact_rules.py",
            "models/readers/question_rules.py",
            "models/text/first_names.py",
            "models/text/function_words.py",
            "models/text/markdown_tables.py",
            "models/text/sentences.py",
            "models/text/table_sections.py",
            "models/text/titles.py",
        )
    )

    def read(self, segment: Segment, page: PageContext) -> Reading:
        """Raises Rejected(NO_UNITS) when nothing in the segment states anything."""
        if segment.kind == "table":
            kind = page.kind or (_SOME_KIND if page.judged else "")
            reading = read_table(segment.text, page.title, kind)
        elif segment.kind == "data":
            reading = read_data(segment.text, page.kind)
        elif lists_sources(segment.heading, english := is_english(segment.text)):
            reading = Reading()
        elif english:
            reading = _EnglishText(segment, page).read()
        else:
            reading = read_whole_sentences(segment.text)
        if not (reading.statements or reading.questions or reading.faults):
            raise Rejected(NO_UNITS, "no sentence, row or line that states anything")
        return reading


class _EnglishText:
    """Reads one segment, sentence by sentence."""

    def __init__(self, segment: Segment, page: PageContext) -> None:
        title = page.title
        self._text, self._heading, self._title = segment.text, segment.heading, title
        self._kind, self._is_judged = page.kind, page.judged or page.kind != ""
        self._surroundings = Surroundings.of(title, segment.heading, page.kind)
        # A text without a title is all the context that it has.
        self._named_page = self._surroundings.named or not title.strip()
        self._pronouns = PronounResolver(page_subject(title))
        self._around = f"{title} {segment.heading}"
        self._name = read_title(title).name
        self._statements: list[Statement] = []
        self._questions: list[AtomicQuestion] = []
        self._faults: list[Fault] = []
        self._seen: set[str] = set()

    def read(self) -> Reading:
        asked: tuple[int, int] | None = None
        answered = self._read_headed_answers()
        below = below_heading(self._text, self._heading)
        for start, end in split_sentences(self._text):
            sentence = self._text[start:end]
            if sentence.endswith("?"):
                asked = None if start in answered else (start, end)
                continue
            pair = key_value(sentence) if ":" in sentence else None
            if pair:
                if start in below:
                    self._read_pair(pair, start)
            else:
                self._read_sentence(sentence, start, asked)
            asked = None
        return Reading(tuple(self._statements), tuple(self._questions), tuple(self._faults))

    def _read_headed_answers(self) -> set[int]:
        """Pair questions on a line of their own with the paragraph below; where these begin."""
        answered = set()
        for (start, end), answer in headed_answers(self._text, self._heading, self._title):
            question = spaced_once(self._text[start:end])
            if not pair_faults(question, self._text[slice(*answer)]):
                self._questions.append(AtomicQuestion(question, *answer, None, "headed"))
                answered.add(start)
        return answered

    def _read_pair(self, pair: KeyValue, offset: int) -> None:
        name = described_by(self._heading, self._title if title_names_subject(self._kind) else "")
        if not name:
            return
        end = offset + pair.end
        statement = Statement(f"{name} – {pair.key}: {pair.value}", offset, end, ("key_line",))
        if moves(pair.key, pair.value, f"{self._around} {name}"):
            self._faults.append(short_fault(MOVING_FIGURE, statement.text))
            return
        asked = is_attribute(as_noun(pair.key)) and may_be_asked_for(pair.key)
        if self._state(statement) and asked:
            self._ask(
                attribute_question(pair.key, name, pair.value), offset + pair.start, end, "key_line"
            )

    def _read_sentence(self, sentence: str, offset: int, asked: tuple[int, int] | None) -> None:
        begin = behind_title(sentence, self._name) or behind_repeated_label(sentence)
        begin = match.end() if (match := _CONNECTIVE.match(sentence)) else begin
        aligned = verbatim(sentence, begin, len(sentence))
        if "[" in sentence or "(" in sentence:
            aligned = verbatim(sentence, 0, len(sentence)).apply(_uncited(sentence, begin))
        if not states_something(self._named_name(capitalized(aligned.text)), english=True):
            return
        aligned = self._without_label(aligned)
        before = len(self._statements)
        text = self._pronouns.resolve(capitalized(aligned.text))
        if _MAY_OPEN_WITH_PRONOUN.match(text) and pronoun_subject(words(quotes_hidden(text))):
            self._faults.append(short_fault("pronoun_subject", text))
            return
        for part in self._parts(aligned, text):
            start, end = part.aligned.evidence()
            statement = Statement(
                finished(part.aligned.text), offset + start, offset + end, part.rules
            )
            if self._state(statement) and len(sentence) <= MAX_RULE_CHARACTERS:
                self._ask_of(part.aligned, statement.text, offset)
        if asked and len(self._statements) > before:
            question = spaced_once(self._text[slice(*asked)])
            end = offset + len(sentence)
            if is_about(question, self._statements[before].text):
                self._ask(question, offset, end, "follows", before)

    def _without_label(self, aligned: AlignedText) -> AlignedText:
        """Without the label of a list entry, if the rest is a statement by itself. Passages of a
        corpus have no such entries, but titles such as "Star Trek: Discovery".
        """
        begin = behind_label(aligned.text) if self._kind else 0
        if not begin or aligned.text[:begin].strip() in self._around:
            return aligned
        if not states_something(aligned.text[begin:], english=True):
            return aligned
        return aligned.apply([(begin, len(aligned.text))])

    def _named_name(self, sentence: str) -> str:
        """The sentence with a plain name for a quotation or the title that it begins with."""
        if sentence.startswith(('"', "“")) and not sentence.endswith(('"', "”")):
            return quotes_hidden(sentence)
        name = self._name
        if name and sentence.startswith(name + " "):
            return "Name" + sentence[len(name) :]
        return sentence

    def _parts(self, aligned: AlignedText, text: str) -> Iterator[Part]:
        """The propositions of a sentence, whose text has its subject named where it is known."""
        rules = tuple(rule for rule in _whole(aligned, text) if rule != "whole")
        aligned = realigned(aligned, text)
        if len(text) > MAX_RULE_CHARACTERS:
            yield Part(aligned, (*rules, "whole"))
            return
        clauses = self._clauses(aligned)
        if len(clauses) > 1:
            rules = (*rules, "clauses")
        for clause in clauses:
            for part in decompose(clause):
                yield Part(part.aligned, (*rules, *part.rules) or ("whole",))

    def _clauses(self, aligned: AlignedText) -> list[AlignedText]:
        """The clauses, each with a name for its subject; the sentence where one has none."""
        spans = split_clauses(aligned.text)
        if len(spans) == 1:
            return [aligned]
        clauses = []
        for span in spans:
            clause = aligned.apply([span])
            text = self._pronouns.named(capitalized(clause.text))
            if not names_its_subject(text):
                return [aligned]
            clauses.append(realigned(clause, text))
        return clauses

    def _fault_of(self, text: str) -> str:
        """Why a statement cannot be stored, or ""."""
        subject = self._pronouns.subject
        defined = subject.defined and (title_names_subject(self._kind) or subject.opens(text))
        named = self._named_page or defined or text.startswith(self._name + " ")
        fault = fact_fault(text) or reference_fault(
            text, subject.name, named, self._around, self._pronouns.nouns
        )
        if " – " not in text:  # a line of a key
            fault = fault or talk_fault(text, self._kind)
        if not fault and quotes_customers(self._heading, self._kind):
            fault = "talk"
        if not fault and self._is_judged and self._lacks_year(text):
            fault = "relative_time"
        if not fault and quotes_a_price(text):
            fault = MOVING_FIGURE
        if not (fault or named or names_something(text, self._around)):
            return "no_entity"
        return fault

    def _lacks_year(self, text: str) -> bool:
        return is_so_for_now(text) or has_day_without_year(text, self._around)

    def _state(self, statement: Statement) -> bool:
        """Store a statement, or the reason why it cannot be."""
        fault = self._fault_of(statement.text)
        if not fault and statement.text.lower() in self._seen:
            fault = "repeat"
        if not (fault or self._is_sure(statement)):
            fault = "unsure"
        if fault:
            self._faults.append(short_fault(fault, statement.text))
            return False
        self._seen.add(statement.text.lower())
        self._statements.append(statement)
        return True

    def _is_sure(self, statement: Statement) -> bool:
        """Whether what no rule rejects is probably right; lines of a key are not judged, nor
        passages of a corpus.
        """
        if "key_line" in statement.rules or not self._is_judged:
            return True
        beside = Neighbours.of(self._text, statement.start, statement.end)
        return unit_judge().is_sure(statement.text, statement.rules, self._surroundings, beside)

    def _ask_of(self, aligned: AlignedText, text: str, offset: int) -> None:
        """Questions whose answers are verbatim in the sentence."""
        for cloze in questions_from(text):
            if cloze.rule == "what" and not self._may_be_asked_about(cloze.question):
                continue
            span = aligned.source(cloze.start, cloze.end)
            answer = text[cloze.start : cloze.end]
            if cloze.rule == "what" and _SAYS_LITTLE.fullmatch(answer):
                continue
            if span and self._text[offset + span[0] : offset + span[1]] == answer:
                self._ask(cloze.question, offset + span[0], offset + span[1], cloze.rule)

    def _may_be_asked_about(self, question: str) -> bool:
        """Whether title or heading name what "What is ...?" asks about, so that the answer is what
        it is and not what is told of it in passing. Of a person nobody asks what."""
        what, _, subject = question.rstrip("?").split(" ", 2)
        page = self._pronouns.subject
        if subject.split()[0].lower() in SUBORDINATORS | {"as"}:
            return False  # "As Morgan was"
        if what == "What" and page.person and page.opens(subject):
            return False
        if what == "Who" and " " not in subject and not page.opens(subject):
            return False  # "Richard", whom the page does not introduce
        if " " not in subject and " " in page.name and not page.person:
            return False  # "Stadium" of "Dynamo Stadium"
        named = [word.lower() for word in words(subject) if word[0].isupper()]
        heading = {word.lower() for word in words(self._heading)}
        if heading and heading.isdisjoint(named):
            return False  # below "Career" or "In popular culture" it is told in passing
        around = {word.lower() for word in words(self._around)}
        return what == "Who" or len(named) > 1 or not around or not around.isdisjoint(named)

    def _ask(
        self, question: str, start: int, end: int, rule: str, statement: int | None = None
    ) -> None:
        if pair_faults(question, self._text[start:end]):
            return  # a question that cannot be asked was never there
        source = len(self._statements) - 1 if statement is None else statement
        self._questions.append(AtomicQuestion(question, start, end, source, rule))


def _whole(aligned: AlignedText, text: str) -> tuple[str, ...]:
    """The rules that made `text` of a sentence: its subject was named, or nothing was changed."""
    return ("pronoun",) if text[1:] != aligned.text[1:] else ("whole",)


def _uncited(sentence: str, begin: int) -> Rewrite:
    """The sentence from `begin` on without marks of citation and empty brackets."""
    rewrite: Rewrite = []
    for match in _CITATION.finditer(sentence, begin):
        rewrite.append((begin, match.start()))
        begin = match.end()
    return [*rewrite, (begin, len(sentence))]
