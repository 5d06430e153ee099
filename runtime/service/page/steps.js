// Steps of an answer, and what it took.

import { fieldDetails } from "./details.js";
import { counted, duration, element, grouped } from "./elements.js";

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
  return element(
    "li",
    { class: "step" },
    element("span", { class: "step-kind" }, kind),
    step.seconds ? element("span", { class: "step-seconds" }, duration(step.seconds)) : null,
    asked ? element("p", { class: "step-question", dir: "auto" }, asked) : null,
    step.answer ? element("p", { class: "step-answer", dir: "auto" }, step.answer) : null,
    stepDetails(step),
  );
}

/** The pages that a step found, and what else the service says of the step. */
function stepDetails({ id, needs, question, rewritten_question: rewritten, hits, seconds }) {
  const fields = [
    ["Step", id],
    ["Needs", needs.join(", ")],
    ["Asked as", rewritten && rewritten !== question ? question : ""],
    ["Seconds", seconds],
  ];
  const pages = hits.map((hit) =>
    element(
      "li",
      {},
      element("p", { dir: "auto" }, hit.title || "Untitled page"),
      element("p", { class: "ids" }, `score ${hit.score} · segment ${hit.segment_id} · page ${hit.page_id}`),
    ),
  );
  const summary = hits.length ? `${counted(hits.length, "page")} read` : "Details";
  return fieldDetails(summary, fields, hits.length ? element("ol", {}, pages) : null);
}

/** The ledger of an answer, and the build that it is from. */
export function ledgerElement({ ledger, build_id: build }) {
  return fieldDetails("Ledger", [
    ["LLM calls", grouped(ledger.calls)],
    ["Prompt tokens", grouped(ledger.prompt_tokens)],
    ["Completion tokens", grouped(ledger.completion_tokens)],
    ...Object.entries(ledger.seconds).map(([kind, seconds]) => [`Seconds of ${kind}`, seconds]),
    ["Seconds in all", ledger.elapsed],
    ["Build", build],
  ]);
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
