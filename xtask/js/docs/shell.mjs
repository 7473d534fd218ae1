// What is around the content of each page: navigation, contents, the pages before and after. No script, nothing from elsewhere.

import { posix } from "node:path";
import { escape } from "./markdown.mjs";

const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** A whole page. `groups` is the navigation. */
export function pageOf({ name, page, groups, version }) {
  const from = (target) => posix.relative(posix.dirname(name), target);
  const linkTo = ({ name: target, label, isCode }) => {
    const current = target === name ? ' aria-current="page"' : "";
    const text = escape(label);
    return `<a href="${from(`${target}.html`)}"${current}>${isCode ? `<code>${text}</code>` : text}</a>`;
  };
  const list = groups
    .map(({ title, pages }) => `<h2>${escape(title)}</h2><ul>${pages.map((each) => `<li>${linkTo(each)}</li>`).join("")}</ul>`)
    .join("");
  const title = name === "index" ? "agent-surface-wasm" : `${page.title} · agent-surface-wasm`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="${from("favicon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${from("tokens.css")}">
<link rel="stylesheet" href="${from("docs.css")}">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="top">
<a class="brand" href="${from("index.html")}">agent-surface-wasm <span>${escape(version)}</span></a>
<a class="demo" href="${from("../")}">Demo</a>
</header>
<details class="menu"><summary>All pages</summary><nav aria-label="All pages">${list}</nav></details>
<div class="columns">
<nav class="side" aria-label="Pages">${list}</nav>
<main id="content">
<article>
${page.html}</article>
${neighbours(name, groups, linkTo)}
</main>
${contents(page.headings)}
</div>
</body>
</html>
`;
}

function contents(headings) {
  if (headings.length < 2) return '<div class="contents"></div>';
  const items = headings.map(({ anchor, inner }) => `<li><a href="#${anchor}">${inner.replace(/<\/?a\b[^>]*>/g, "")}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></nav>`;
}

function neighbours(name, groups, linkTo) {
  const all = groups.flatMap(({ pages }) => pages);
  const at = all.findIndex((each) => each.name === name);
  const side = (page, label) => (page ? `<div><span>${label}</span>${linkTo(page)}</div>` : "<div></div>");
  return `<nav class="neighbours" aria-label="Before and after">${side(all[at - 1], "Before")}${side(all[at + 1], "Next")}</nav>`;
}
