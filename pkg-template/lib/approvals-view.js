// Turns a pending request into DOM, by text nodes alone. What an agent wrote is shown so that it cannot pass for
// something else: characters without a face appear by their code, nothing can reorder or overdraw its neighbours, and
// all of it can be reached, however long it is.

/** A string longer than this many UTF-16 units, or of more lines, starts collapsed. */
const LONG_STRING = 240;
const LONG_LINES = 8;
const PREVIEW = 120;
/** A list or object with more entries than this, or deeper than `OPEN_DEPTH`, starts collapsed. */
const OPEN_ENTRIES = 12;
const OPEN_DEPTH = 3;
/** Entries made at a time. */
const PAGE = 100;
/** Codes and line breaks made at a time: each is an element. */
const MARKS = 1000;
/** Codes spelled out in one run of invisible characters; the rest is counted. */
const RUN = 12;

// Controls, formats (bidi, zero width, tags), private, unassigned and unpaired code points, separators and spaces other
// than U+0020 and U+3000, default-ignorables, the braille blank, and the fourth combining mark in a row. What joins an
// emoji is left to the emoji.
const HIDDEN =
  "(?:(?![ \\n\\u3000]|(?<=\\p{ExtPict})\\uFE0F|(?<=\\p{ExtPict}[\\u{1F3FB}-\\u{1F3FF}\\uFE0F]?)\\u200D\\p{ExtPict})" +
  "[\\p{C}\\p{Z}\\p{DI}\\u2800]|(?<=\\p{M}{3})\\p{M})+";
const HIDDEN_OR_BREAK = new RegExp(`\\n|${HIDDEN}`, "gu");
const HIDDEN_ONLY = new RegExp(HIDDEN, "u");

/** An element with attributes and children (nodes or text). */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children);
  return element;
}

const code = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

function codes(run) {
  const characters = [...run];
  const rest = characters.length - RUN;
  return characters.slice(0, RUN).map(code).join(" ") + (rest > 0 ? ` +${rest}` : "");
}

/** Whether a JSON value holds a character that would not be seen, in a key or in a string. */
export function hasHidden(value) {
  if (typeof value === "string") return HIDDEN_ONLY.test(value);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, part]) => HIDDEN_ONLY.test(key) || hasHidden(part));
}

/** A text as isolated nodes, with invisible characters by their code. `say` names the button where there are too many. */
export function reveal(text, say) {
  const out = h("bdi", {});
  const found = text.matchAll(HIDDEN_OR_BREAK);
  let end = 0;
  const fill = (more) => {
    // Appended as one: each change of a `bdi` looks through all of it for its direction.
    const piece = document.createDocumentFragment();
    for (let marks = 0; marks < MARKS; marks++) {
      const { value, done } = found.next();
      const { 0: run, index } = value ?? { 0: "", index: text.length };
      piece.append(text.slice(end, index));
      end = index + run.length;
      if (done) break;
      piece.append(run === "\n" ? h("span", { class: "break" }, "↵\n") : h("mark", {}, codes(run)));
    }
    more?.remove();
    out.append(piece);
    if (end < text.length) out.append(moreOf(say("more", text.length - end), fill));
  };
  fill();
  return out;
}

/** A button that shows more; where it goes with the focus, the focus stays near. */
function moreOf(words, fill) {
  const more = h("button", { type: "button" }, words);
  more.addEventListener("click", () => {
    if (more.matches(":focus")) more.closest("[tabindex]")?.focus();
    fill(more);
  });
  return more;
}

/** A `<details>` whose content is made when it is first opened. */
function folded(summary, build) {
  const details = h("details", {}, h("summary", {}, ...summary));
  details.addEventListener("toggle", () => details.append(build()), { once: true });
  return details;
}

/** A text of any length; `quoted` puts it between quotation marks, as a value. */
export function longText(text, say, quoted) {
  const full = () => {
    const bdi = reveal(text, say);
    if (quoted) bdi.className = "quoted";
    return bdi;
  };
  if (text.length <= LONG_STRING && text.split("\n", LONG_LINES + 2).length <= LONG_LINES) return full();
  const start = text.slice(0, PREVIEW).toWellFormed().replaceAll("\n", " ");
  return folded([reveal(start), "… ", h("span", {}, say("characters", [...text].length))], full);
}

function entriesView(entries, list, say, depth) {
  const body = h(list ? "ol" : "dl", {});
  const more = h("button", { type: "button" });
  let from = 0;
  const fill = () => {
    for (const [key, value] of entries.slice(from, (from += PAGE))) {
      const node = tree(value, say, depth + 1);
      const beside = node.matches("bdi, code");
      if (list) body.append(h("li", {}, node));
      else body.append(h("dt", {}, key ? longText(key, say) : '""'), h("dd", beside ? {} : { class: "wide" }, node));
    }
    more.textContent = say("more", entries.length - from);
    if (from >= entries.length) {
      if (more.matches(":focus")) more.closest("[part=input]").focus();
      more.remove();
    }
  };
  const view = h("div", {}, body, more);
  more.addEventListener("click", fill);
  fill();
  return view;
}

/** A JSON value as a labelled tree. `say(key, count)` yields the words. */
export function tree(value, say, depth = 0) {
  if (typeof value === "string") return longText(value, say, true);
  if (value === null || typeof value !== "object") return h("code", {}, String(value));
  const list = Array.isArray(value);
  const entries = list ? value.map((item) => ["", item]) : Object.entries(value);
  if (!entries.length) return h("code", { class: "none" }, say(list ? "emptyList" : depth ? "emptyObject" : "noInput"));
  const view = () => entriesView(entries, list, say, depth);
  if (entries.length <= OPEN_ENTRIES && depth < OPEN_DEPTH) return view();
  return folded([say(list ? "items" : "fields", entries.length)], view);
}
