// Steps of an answer, and what it took.

import { counted, duration, element } from "./elements.js";

// Kinds that read better in other words; all others are shown as they are.
const KINDS = {
  "sub-question": "Question",
  decompose: "Take apart",
  ending: "Enough?",
  fallback: "Decided without the LLM",
  merge: "Put together",
  refine: "Next question",
  relevance: "Judge pages",
  retrieve: "Search",
  route: "Choose the way",
  fit: "Compare",
  least: "Compare",
  longest: "Compare",
  most: "Compare",
  same: "Compare",
};

/** One step as a list item. */
export function stepElement(step) {
  const kind = KINDS[step.kind] ?? sentenceCase(step.kind);
  const asked = step.rewritten_question || step.question;
  const titles = (step.hits ?? []).map((hit) => element("li", { dir: "auto" }, hit.title || "Untitled page"));
  return element(
    "li",
    { class: "step" },
    element("span", { class: "step-kind" }, kind),
    step.seconds ? element("span", { class: "step-seconds" }, duration(step.seconds)) : null,
    asked ? element("p", { class: "step-question", dir: "auto" }, asked) : null,
    step.answer ? element("p", { class: "step-answer", dir: "auto" }, step.answer) : null,
    titles.length
      ? element("details", {}, element("summary", {}, `${counted(titles.length, "page")} read`), element("ol", {}, titles))
      : null,
  );
}

/** What an answer took, in one line. */
export function spentLine({ ledger, strategy }) {
  const tokens = ledger.prompt_tokens + ledger.completion_tokens;
  return [
    sentenceCase(strategy),
    duration(ledger.elapsed),
    ledger.calls ? counted(ledger.calls, "LLM call") : "no LLM",
    tokens ? counted(tokens, "token") : "",
  ].filter(Boolean).join(" · ");
}

function sentenceCase(word) {
  return word.slice(0, 1).toUpperCase() + word.slice(1).replaceAll("_", " ");
}
