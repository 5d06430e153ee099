// Evidence: each passage that an answer cites, whole, with what it cites highlighted.
// The service counts offsets in code points, JavaScript in UTF-16 units; texts are cut as arrays.

import { fieldDetails } from "./details.js";
import { element, site, sourceLink } from "./elements.js";
import { tableElement } from "./markdown_table.js";

/** The citations of an answer by segment, in order: {segmentId, citations}. */
export function bySegment(citations) {
  const passages = new Map();
  for (const citation of citations) {
    const passage = passages.get(citation.segment_id) ?? { segmentId: citation.segment_id, citations: [] };
    passage.citations.push(citation);
    passages.set(citation.segment_id, passage);
  }
  return [...passages.values()];
}

/** A passage as a list item. Without its `segment`, which may be gone, it has the quotes alone. */
export function passageElement({ citations }, segment) {
  const [first] = citations;
  const quotes = citations.map((citation) => citation.quote);
  const text = segment ? segment.text : quotes.join("\n");
  const spans = segment ? spansIn(segment, citations) : [{ start: 0, end: [...text].length }];
  const table = segment?.kind === "table";
  const shown = table ? tableElement(text, spans) : highlighted(text, spans);
  const reading = { class: `passage-text${table ? " table" : ""}`, dir: "auto", tabindex: "0", role: "group" };
  return element(
    "li",
    { class: "passage" },
    element(
      "div",
      { class: "passage-head" },
      sourceLink(first.title, first.url, "passage-title", table ? "" : first.quote),
      site(first.url),
    ),
    element("div", { ...reading, "aria-label": `Passage of ${first.title || "a page"}` }, shown),
    fieldDetails("Source", [
      ["Page", first.page_id],
      ["Segment", first.segment_id],
      ...citations.flatMap(({ unit_id: unit, start, end }) => [
        ["Unit", unit],
        ["Characters", start === null ? "in a table" : `${start} to ${end} of the page`],
      ]),
    ]),
  );
}

/** Where the quotes stand in a segment: those of a text by their offsets in the page, others as found. */
export function spansIn(segment, citations) {
  const characters = [...segment.text];
  const spans = [];
  for (const { start, end, quote } of citations) {
    const given = start !== null && segment.start !== null;
    const from = given ? start - segment.start : codePointIndex(segment.text, quote);
    const to = given ? end - segment.start : from + [...quote].length;
    if (from >= 0 && characters.slice(from, to).join("") === quote) spans.push({ start: from, end: to });
  }
  return merged(spans);
}

/** Text with its spans in <mark>. */
export function highlighted(text, spans) {
  const characters = [...text];
  const parts = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(characters.slice(at, start).join(""), element("mark", {}, characters.slice(start, end).join("")));
    at = end;
  }
  return [...parts, characters.slice(at).join("")];
}

function merged(spans) {
  const result = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else result.push({ ...span });
  }
  return result;
}

function codePointIndex(text, quote) {
  const index = text.indexOf(quote);
  return index < 0 ? -1 : [...text.slice(0, index)].length;
}
