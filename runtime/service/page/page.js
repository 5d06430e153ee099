// The page: a question goes out, and what comes back is shown as it comes.
//
//   form -> address (#q=...) -> answer: steps, then the answer, then its evidence
//                            -> search: pages found
//
// The question stands behind the # of the address: it can be kept and shared, and no server's log
// of addresses has it.

import { get, keepToken, post, postEvents, Refused } from "./api.js";
import { buildLine, factsElement } from "./build_facts.js";
import { element } from "./elements.js";
import { bySegment, passageElement } from "./evidence.js";
import { hitElement } from "./hits.js";
import { ledgerElement, spentLine, stepElement } from "./steps.js";

const PAGES_SHOWN = 10;
// Longer answers are set smaller.
const LONG_ANSWER = 160;
const FILTERS = ["sites", "languages", "page_kinds", "segment_kinds", "fetched_from", "fetched_until"];

const part = (id) => document.getElementById(id);
const form = part("ask");
const question = part("question");
let running = new AbortController();

/** Show what the address asks for. */
function show() {
  const asked = new URLSearchParams(location.hash.slice(1));
  question.value = asked.get("q") ?? "";
  for (const name of FILTERS) form.elements[name].value = asked.get(name) ?? "";
  sayFilters();
  running.abort();
  document.title = question.value ? `${question.value} · factmill` : "factmill";
  part("intro").hidden = Boolean(question.value);
  part("problem").hidden = part("result").hidden = true;
  if (question.value.trim()) ask(question.value, filterDocument(filtersOf(asked)));
}

/** Ask the service for an answer and for pages, at once. */
async function ask(text, filters) {
  running = new AbortController();
  const { signal } = running;
  busy(true);
  clearResult();
  const finished = await Promise.allSettled([answer(text, filters, signal), search(text, filters, signal)]);
  if (signal !== running.signal) return;
  busy(false);
  const failed = finished.find(({ status }) => status === "rejected");
  if (signal.aborted) stopped();
  else if (failed) explain(failed.reason);
}

async function answer(text, filters, signal) {
  for await (const { event, data } of postEvents("v1/answer", { question: text, filters }, signal)) {
    if (event === "step") part("step-list").append(stepElement(data));
    else if (event === "answer") return showAnswer(data, signal);
    else if (event === "error") throw new Refused(data.detail || data.title, data.status);
  }
  throw new Refused("The answer broke off.");
}

async function search(text, filters, signal) {
  const { hits } = await post("v1/search", { query: text, k: PAGES_SHOWN, filters }, signal);
  part("page-list").replaceChildren(...hits.map(hitElement));
  part("pages").hidden = !hits.length;
}

async function showAnswer(found, signal) {
  const said = part("answer-text");
  said.textContent = found.known ? found.text : "I don’t know.";
  said.className = `answer-text${found.text.length > LONG_ANSWER ? " long" : ""}`;
  said.dir = "auto";
  part("answer-notes").replaceChildren(...notes(found));
  part("step-list").replaceChildren(...found.steps.map(stepElement));
  part("steps").hidden = false;
  part("spent").textContent = spentLine(found);
  part("ledger").replaceChildren(ledgerElement(found));
  const passages = bySegment(found.citations);
  const segments = await Promise.all(passages.map(({ segmentId }) => segmentOf(segmentId, signal)));
  part("evidence-list").replaceChildren(...passages.map((passage, at) => passageElement(passage, segments[at])));
  part("evidence").hidden = !passages.length;
}

/** A segment; null when a new build has replaced it since. */
async function segmentOf(segmentId, signal) {
  try {
    return await get(`v1/segments/${encodeURIComponent(segmentId)}`, signal);
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

/** How far an answer can be trusted. */
function notes(found) {
  if (!found.known) return [element("span", {}, "No page says it clearly enough. The pages below come closest.")];
  const percent = Math.round(found.confidence * 100);
  const meter = element("meter", { min: 0, max: 1, value: found.confidence, "aria-label": "Confidence" });
  return [
    element("span", { class: "confidence" }, meter, `${percent}% sure`),
    ...(found.unsupported ? [element("span", { class: "warn" }, "Its sources do not back it.")] : []),
    ...(found.notice ? [element("span", { class: "warn" }, `Answered without the LLM (${found.notice}).`)] : []),
  ];
}

function clearResult() {
  const said = part("answer-text");
  said.textContent = "Reading";
  said.className = "answer-text pending";
  for (const id of ["answer-notes", "step-list", "ledger", "evidence-list", "page-list"]) part(id).replaceChildren();
  part("spent").textContent = "";
  for (const id of ["evidence", "pages"]) part(id).hidden = true;
  part("steps").hidden = part("result").hidden = false;
}

function busy(is) {
  form.setAttribute("aria-busy", String(is));
  part("submit").textContent = is ? "Stop" : "Ask";
}

function stopped() {
  const said = part("answer-text");
  if (said.classList.contains("pending")) said.textContent = "Stopped.";
  said.classList.remove("pending");
}

function explain(error) {
  if (!(error instanceof Refused)) throw error;
  part("token-form").hidden = error.status !== 401;
  if (error.status === 401) part("token").focus();
  const said = part("answer-text");
  const answered = !said.classList.contains("pending");
  if (!answered) said.replaceChildren();
  said.classList.remove("pending");
  part("steps").hidden = !part("step-list").hasChildNodes();
  part("result").hidden = !answered && part("pages").hidden;
  part("problem").textContent = error.message;
  part("problem").hidden = error.status === 401;
}

/** The filters that are set, of a form or an address. */
function filtersOf(values) {
  return Object.fromEntries(FILTERS.map((name) => [name, (values.get(name) ?? "").trim()]).filter(([, value]) => value));
}

/** Filters as the service takes them: several values, with commas or blanks between them. */
function filterDocument(filters) {
  const values = ([name, value]) => [name, name.startsWith("fetched_") ? value : value.split(/[\s,]+/).filter(Boolean)];
  return Object.fromEntries(Object.entries(filters).map(values));
}

function sayFilters() {
  const set = Object.values(filtersOf(new FormData(form)));
  part("filters-said").textContent = set.join(", ");
}

/** Put a question into the address, which asks it. */
function submit() {
  if (form.getAttribute("aria-busy") === "true") return running.abort();
  const text = question.value.trim();
  if (!text) return question.focus();
  const asked = new URLSearchParams({ q: text, ...filtersOf(new FormData(form)) });
  const address = `#${asked}`;
  if (location.hash !== address) history.pushState(null, "", address);
  return show();
}

async function showBuild() {
  try {
    const build = await get("v1/build");
    part("build-line").textContent = buildLine(build);
    part("build-line").hidden = false;
    part("build").replaceChildren(factsElement(build));
  } catch (error) {
    explain(error);
  }
}

function toggleBuild() {
  const open = part("build").hidden;
  part("build").hidden = !open;
  part("build-line").setAttribute("aria-expanded", String(open));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
form.addEventListener("input", sayFilters);
part("clear-filters").addEventListener("click", () => {
  for (const name of FILTERS) form.elements[name].value = "";
  sayFilters();
});
part("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(part("token").value);
  part("token-form").hidden = true;
  showBuild();
  show();
});
part("build-line").addEventListener("click", toggleBuild);
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    question.focus();
    question.select();
  } else if (event.key === "Escape") {
    running.abort();
  }
});
// The link's own address would replace that of the question.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  question.focus();
});
addEventListener("popstate", show);

showBuild();
show();
if (!question.value) question.focus();
