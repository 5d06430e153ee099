"""The answer without an LLM, or "I don't know".

question -> plan -> sub-questions answered in order -> their answers compared or combined
         -> confidence -> given, or withheld
"""

from __future__ import annotations

from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.runtime.answers.answer import Draft
from factmill.runtime.answers.combined_answers import combined_draft
from factmill.runtime.answers.hops import answer_hops
from factmill.runtime.answers.session import Session

CALLS = 0


async def draft(session: Session) -> Draft:
    """Answer without any call."""
    plan = local_plan(session.question)
    return combined_draft(session, plan, await answer_hops(session, plan.questions))
