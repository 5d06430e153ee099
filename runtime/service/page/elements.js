// Elements of the page. What pages of the crawl say becomes text nodes, never markup; what they
// give as an address becomes a link only when a browser can do nothing but fetch it.

/** An element with attributes and children; strings become text. Empty children are left out. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== "") made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** The URL of a source, or null when it is not one of the web. */
export function webUrl(address) {
  try {
    const url = new URL(address);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

/** The title of a page, as a link to it where it has one. `quote` is shown there by the browser. */
export function sourceLink(title, address, className, quote = "") {
  const url = webUrl(address);
  const name = title || (url ? url.host + url.pathname : "Untitled page");
  if (!url) return element("span", { class: className, dir: "auto" }, name);
  const attributes = {
    class: className,
    dir: "auto",
    href: withQuote(url, quote),
    target: "_blank",
    rel: "noopener noreferrer nofollow",
  };
  return element("a", attributes, name);
}

/** The site of a page, as people read it. */
export function site(address) {
  const url = webUrl(address);
  return url ? element("span", { class: "where" }, url.host.replace(/^www\./, "")) : null;
}

/** An address that scrolls to a quote (URL fragment text directives), by its first and last words. */
function withQuote(url, quote) {
  const words = quote.split(/\s+/).filter(Boolean);
  if (!words.length) return url.href;
  const encoded = (some) => encodeURIComponent(some.join(" ")).replace(/-/g, "%2D");
  const said =
    words.length <= 12 ? encoded(words) : `${encoded(words.slice(0, 5))},${encoded(words.slice(-5))}`;
  return `${url.href}${url.hash ? "" : "#"}:~:text=${said}`;
}

/** A whole number as people write it. */
export function grouped(number) {
  return new Intl.NumberFormat("en").format(number);
}

/** "1 page", "2 pages". */
export function counted(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** Seconds in as many digits as they deserve. */
export function duration(seconds) {
  if (seconds < 0.0995) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  return `${seconds.toFixed(seconds < 9.95 ? 1 : 0)} s`;
}
