// Pages that a search found, each with its facts and the passage that fits best.

import { element, site, sourceLink } from "./elements.js";
import { tableElement } from "./markdown_table.js";

const FACTS = 3;

/** One hit as a list item. */
export function hitElement(hit) {
  const facts = hit.units.slice(0, FACTS).map((unit) => element("li", { dir: "auto" }, unit.text));
  const table = /^\|/m.test(hit.text) && /^\|[\s:|-]+\|$/m.test(hit.text);
  const passage = element(
    "div",
    { class: `passage-text${table ? " table" : ""}`, dir: "auto" },
    table ? tableElement(hit.text, []) : hit.text,
  );
  return element(
    "li",
    { class: "hit" },
    element("div", { class: "hit-head" }, sourceLink(hit.title, hit.url, "hit-title"), site(hit.url)),
    facts.length
      ? [
          element("ul", { class: "hit-facts" }, facts),
          element("details", {}, element("summary", {}, "Passage"), passage),
        ]
      : passage,
  );
}
