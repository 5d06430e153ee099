// Facts about the build that answers: when, how much, what changed.

import { element, grouped } from "./elements.js";

/** The build in one line: "10,467 pages · built 22 November 2026". */
export function buildLine(build) {
  return `${grouped(build.pages)} pages · built ${day(build.created_at)}`;
}

/** All facts as a description list. */
export function factsElement(build) {
  const facts = [
    ["Built", moment(build.created_at)],
    ["Pages", grouped(build.pages)],
    ["Passages", grouped(build.segments)],
    ["Statements", grouped(build.propositions)],
    ["Questions", grouped(build.qa_pairs)],
    ["Read by", build.reader],
    ["Since the build before", changed(build), "wide"],
    ["Build", element("code", {}, build.build_id), "wide"],
  ];
  const items = facts
    .filter(([, value]) => value)
    .map(([name, value, size]) => element("div", { class: size }, element("dt", {}, name), element("dd", {}, value)));
  return element("dl", { class: "facts" }, items);
}

/** What changed since the build before, in words. */
function changed({ changes, parent }) {
  if (!parent) return "this is the first build";
  if (!changes) return "";
  const parts = [
    changes.added && `${grouped(changes.added)} new`,
    changes.changed && `${grouped(changes.changed)} changed`,
    changes.removed && `${grouped(changes.removed)} gone`,
  ].filter(Boolean);
  return parts.length ? `pages: ${parts.join(", ")}` : "no page changed";
}

function day(time) {
  return new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

function moment(time) {
  const date = new Date(time);
  const clock = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return element("time", { datetime: time }, `${day(time)}, ${clock}`);
}
