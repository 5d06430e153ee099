// Fields that few people look for: closed until somebody opens them.

import { element } from "./elements.js";

/** Pairs of names and values below a summary; pairs without a value are left out. */
export function fieldDetails(summary, fields, ...more) {
  const shown = fields.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const items = shown.map(([name, value]) => [element("dt", {}, name), element("dd", { dir: "auto" }, `${value}`)]);
  return element("details", { class: "fields" }, element("summary", {}, summary), element("dl", {}, items.flat()), more);
}
