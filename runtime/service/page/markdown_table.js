// A table of Markdown as an element. Its offsets are code points of the text, as in the service.

import { element } from "./elements.js";

/** The table that a segment holds, with rows marked that overlap one of `spans`. */
export function tableElement(text, spans) {
  const rows = [];
  const before = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + [...line].length;
    const cited = spans.some((span) => span.start < end && start < span.end);
    if (line.trimStart().startsWith("|")) rows.push({ cells: cellsOf(line), cited });
    else if (line.trim()) before.push(line.trim());
    start = end + 1;
  }
  const ruled = rows.length > 1 && rows[1].cells.every((cell) => /^:?-+:?$/.test(cell));
  const head = ruled ? [rowElement(rows[0], "th")] : [];
  const body = rows.slice(ruled ? 2 : 0).map((row) => rowElement(row, "td"));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, body));
  return before.length ? [element("p", { class: "where", dir: "auto" }, before.join(" · ")), table] : [table];
}

/** The cells of a line; `\|` is a bar in a cell. */
function cellsOf(line) {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function rowElement(row, tag) {
  const scope = tag === "th" ? { scope: "col" } : {};
  const cells = row.cells.map((cell) => element(tag, { dir: "auto", ...scope }, cell));
  return element("tr", { class: row.cited ? "cited" : "" }, cells);
}
