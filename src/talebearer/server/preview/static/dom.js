// Elements, made by hand. Text is only ever set as text: what a writer typed is never markup, and
// the page's policy (trusted types) refuses every way in which it could become some.

const SVG = "http://www.w3.org/2000/svg";

/** Return a new element. `attributes` may hold `text`, `on` (event to listener) and `data`. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Return a new SVG element. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name === "text") node.textContent = visible(value);
    else if (name === "on") for (const [event, f] of Object.entries(value)) node.addEventListener(event, f);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name.startsWith("aria-")) node.setAttribute(name, String(value)); // there false says something
    else if (value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/** Replace all children of a node. */
export function show(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

export const byId = (id) => document.getElementById(id);

// Control characters and the marks that turn the direction of what stands around them are written
// out, as the command line does it; joiners stay, since scripts and emoji need them.
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function visible(value) {
  return String(value).replace(HIDDEN, (char) => {
    const code = char.codePointAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

export const plural = (count, noun, many = `${noun}s`) => `${number(count)} ${count === 1 ? noun : many}`;
export const number = (count) => Number(count).toLocaleString("en-GB");

/** Return a chance between 0 and 1 as people read it. */
export function percent(chance) {
  if (chance === 0) return "0 %";
  const hundredths = chance * 100;
  if (hundredths < 0.1) return "< 0.1 %";
  return `${hundredths >= 10 ? Math.round(hundredths) : hundredths.toFixed(1)} %`;
}

/** Shorten the paths of pools in a sentence to their last part: where they lie is known or looked up. */
export const withoutFolders = (text) => String(text).replace(/(?:[\w.-]+\/){2,}([\w.-]+)/g, "$1");

/** Turn a slug into words for people: "the-gilded-eel" is "the gilded eel". */
export const words = (slug) => String(slug).replaceAll("_", " ").replaceAll("-", " ");
