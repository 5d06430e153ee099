// Facts about the build that answers: when, how much, what changed since the build before.

import { element, grouped } from "./elements.js";

const COUNTED = [
  ["pages", "Pages"],
  ["segments", "Passages"],
  ["propositions", "Statements"],
  ["qa_pairs", "Questions"],
];

/** The build in one line: "10,467 pages · built 22 November 2026". */
export function buildLine(build) {
  return `${grouped(build.counts.pages)} pages · built ${day(build.created_at)}`;
}

/** All facts as a description list. */
export function factsElement(build) {
  const before = build.parent?.counts;
  const facts = [
    ["Built", moment(build.created_at)],
    ...COUNTED.map(([name, title]) => [title, count(build.counts[name], before?.[name])]),
    ["Build before", parentOf(build)],
    ["Read by", build.reader === "heuristic" ? "rules" : build.reader],
    ["Answers with", build.llm_model ? `${build.default_strategy}, ${build.llm_model}` : `${build.default_strategy}, no LLM`],
    ["Build", element("code", {}, build.build_id), "wide"],
    build.not_served ? ["Warning", `A newer build, or this one, cannot be served: ${build.not_served}.`, "wide warn"] : [],
  ];
  const items = facts
    .filter(([, value]) => value)
    .map(([name, value, size]) => element("div", { class: size }, element("dt", {}, name), element("dd", {}, value)));
  return element("dl", { class: "facts" }, items);
}

/** A number, and by how much it changed. */
function count(now, before) {
  const change = before === undefined ? 0 : now - before;
  if (!change) return grouped(now);
  const sign = change > 0 ? "+" : "−";
  return [grouped(now), " ", element("span", { class: "change" }, `${sign}${grouped(Math.abs(change))}`)];
}

function parentOf({ counts, parent }) {
  if (!parent) return "none, this is the first";
  if (!parent.counts) return "removed";
  const same = COUNTED.every(([name]) => counts[name] === parent.counts[name]);
  return same ? [moment(parent.created_at), ", as many of each"] : moment(parent.created_at);
}

function day(time) {
  return new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

function moment(time) {
  const date = new Date(time);
  const clock = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const short = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  return element("time", { datetime: time }, `${short}, ${clock}`);
}
