// Requests to the service: JSON, and server-sent events as they arrive.

const TOKEN = "factmill-token";

/** What the service refused, in words for people; `status` is 0 when it was not reached. */
export class Refused extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/** Keep a token as long as this tab is open. */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

/** The JSON of an address of the service. Raises Refused. */
export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

/** What the service answers to a JSON document. Raises Refused. */
export async function post(path, document, signal) {
  return (await request(path, posted(document, "application/json", signal))).json();
}

/** The events of an answer, each as {event, data}, while they happen. Raises Refused. */
export async function* postEvents(path, document, signal) {
  const response = await request(path, posted(document, "text/event-stream", signal));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      waiting += done ? "" : value;
      const blocks = waiting.split(/\r\n\r\n|\n\n|\r\r/);
      waiting = blocks.pop();
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
      if (done) return;
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("The connection was lost.");
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A block of lines as an event; null for a comment. */
function eventOf(block) {
  let event = "message";
  const data = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}

function posted(document, accept, signal) {
  return {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(document),
    signal,
  };
}

async function request(path, options) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers, credentials: "omit", redirect: "error" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Refused("The service does not answer.");
  }
  if (response.ok) return response;
  throw new Refused(await reason(response), response.status);
}

/** Why a request was refused: a problem document (RFC 9457), else the status. */
async function reason(response) {
  const after = response.headers.get("retry-after");
  const later = after ? ` Try again in ${after} s.` : "";
  try {
    const problem = await response.json();
    return `${problem.detail || problem.title || `Error ${response.status}`}${later}`;
  } catch {
    return `The service answers with error ${response.status}.${later}`;
  }
}
