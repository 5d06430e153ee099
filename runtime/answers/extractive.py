"""The answer without an LLM, or "I don't know".

question -> plan -> sub-questions answered in order -> their answers compared or combined
         -> confidence -> given, or withheld
"""

from __future__ import annotations

from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.models.answering.decomposing.question_plan import QuestionPlan
from factmill.models.answering.decomposing.subquestions import SubQuestion
from factmill.runtime.answers.answer import Draft
from factmill.runtime.answers.combined_answers import combined_draft
from factmill.runtime.answers.hops import answer_hops
from factmill.runtime.answers.session import Session

CALLS = 0
# The id of the question as it is, where its parts have no answer.
WHOLE = "whole"
# Its answer must be surer, because it is often that of something near.
_MIN_OF_WHOLE = 0.6


async def draft(session: Session) -> Draft:
    """Answer without any call. A question whose parts lead nowhere is asked as it is."""
    plan = local_plan(session.question)
    found = combined_draft(session, plan, await answer_hops(session, plan.questions))
    if found.confidence or not plan.describes:
        return found
    whole = QuestionPlan((SubQuestion(WHOLE, session.question),))
    asked = combined_draft(session, whole, await answer_hops(session, whole.questions))
    return asked if asked.confidence >= _MIN_OF_WHOLE else found
