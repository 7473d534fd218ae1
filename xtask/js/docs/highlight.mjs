// Colours for code: comments, texts, numbers, keywords. A tokenizer for what this project's pages show, no more.

import { escape } from "./markdown.mjs";

const KEYWORDS = new Set(
  ("abstract as async await break case catch class const continue declare default else export extends false finally for from function " +
    "if implements import in infer instanceof interface is keyof let namespace new null of private readonly return static switch this " +
    "throw true try type typeof undefined unique void while yield").split(" "),
);

const SCRIPT = /(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<number>\b\d[\d_.]*\b)|(?<name>[A-Za-z_$][\w$]*)/g;
const MARKUP = /(?<=<script\b[^>]*>)(?<script>[^]+?)(?=<\/script>)|(?<comment><!--[^]*?-->)|(?<string>"[^"\n]*")|(?<keyword><\/?[A-Za-z][\w.-]*|\/?>)/g;
const SHELL = /(?<comment>(?<=^|\s)#[^\n]*)/g;

const GRAMMARS = {
  js: SCRIPT, mjs: SCRIPT, jsx: SCRIPT, ts: SCRIPT, tsx: SCRIPT, json: SCRIPT, css: SCRIPT, rust: SCRIPT,
  html: MARKUP, vue: MARKUP, svelte: MARKUP,
  sh: SHELL, toml: SHELL, yaml: SHELL,
};

/**
 * @param {string} text
 * @param {string} language
 * @param {(name: string) => string | undefined} [linkOf]  where a name is explained
 */
export function highlight(text, language, linkOf = () => undefined) {
  const grammar = GRAMMARS[language];
  if (!grammar) return escape(text);
  let html = "";
  let end = 0;
  for (const match of text.matchAll(grammar)) {
    const [token] = match;
    html += escape(text.slice(end, match.index));
    end = match.index + token.length;
    const kind = Object.entries(match.groups).find(([, value]) => value !== undefined)[0];
    if (kind === "script") html += highlight(token, "js");
    else html += kind === "name" ? nameOf(token, linkOf) : `<span class="${kind}">${escape(token)}</span>`;
  }
  return html + escape(text.slice(end));
}

function nameOf(token, linkOf) {
  if (KEYWORDS.has(token)) return `<span class="keyword">${token}</span>`;
  const link = linkOf(token);
  return link ? `<a href="${link}">${token}</a>` : escape(token);
}
