// A JSON value as indented, coloured text. Built from text nodes, so a value is only ever shown.

import { h } from "../dom.js";

const MOST = 12000;

export function jsonView(value) {
  const box = h("pre", { class: "json", tabindex: 0 });
  const text = JSON.stringify(value, null, 2) ?? "null";
  box.append(...tokens(text.length > MOST ? `${text.slice(0, MOST)}\n…` : text));
  return box;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g;

function* tokens(text) {
  let at = 0;
  for (const found of text.matchAll(TOKEN)) {
    if (found.index > at) yield text.slice(at, found.index);
    const [whole, string, colon, word] = found;
    if (string !== undefined) {
      yield h("span", { class: colon ? "json-key" : "json-string", text: string });
      if (colon) yield colon;
    } else {
      yield h("span", { class: word === undefined ? "json-number" : "json-word", text: whole });
    }
    at = found.index + whole.length;
  }
  if (at < text.length) yield text.slice(at);
}
