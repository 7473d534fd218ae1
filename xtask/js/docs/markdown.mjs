// Markdown to HTML: headings get the anchors that they have in the repository's own view, code its colours, links between the
// pages their new endings, and links to other files of the repository its address.

import { createRequire } from "node:module";
import { posix } from "node:path";
import { highlight } from "./highlight.mjs";

const { Marked } = createRequire(new URL("../../../tests/package.json", import.meta.url))("marked");

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text for HTML, also inside an attribute. */
export const escape = (text) => text.replace(/[&<>"]/g, (each) => ENTITIES[each]);

/** The anchor of a heading. */
export const anchorOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

/** A block of code, with the name of its file above it. */
export function codeBlock(text, language = "", { file, links } = {}) {
  const name = file ? `<figcaption>${escape(file)}</figcaption>` : "";
  return `<figure class="code">${name}<pre tabindex="0"><code>${highlight(text.replace(/\n$/, ""), language, links)}</code></pre></figure>\n`;
}

/** A reference of a page, seen from it, as one of the site or of the repository. */
function destination(href, { source, repository }) {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path, anchor] = href.split("#");
  const target = posix.normalize(posix.join(posix.dirname(source), path));
  // What the repository has as types, the site has as a reference.
  const [, types] = /^pkg-template\/types\/([\w-]+)\.d\.ts$/.exec(target) ?? [];
  if (types) return posix.relative(posix.dirname(source), `docs/reference/${types === "index" ? "main" : types}.html`) + (anchor ? `#${anchor}` : "");
  if (!target.startsWith("docs/")) return repository + target;
  return (path.endsWith(".md") ? `${path.slice(0, -3)}.html` : path) + (anchor ? `#${anchor}` : "");
}

/**
 * A page: `{ title, html, headings }`.
 *
 * @param {string} text
 * @param {{ source: string, repository: string }} where  the path of the text, and the address of the repository's files
 */
export function renderMarkdown(text, where) {
  const headings = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text: raw }) {
        const anchor = anchorOf(raw.replace(/[`*]/g, ""));
        const inner = this.parser.parseInline(tokens);
        headings.push({ depth, anchor, inner, text: raw });
        const mark = depth > 1 ? `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>` : "";
        return `<h${depth} id="${anchor}">${inner}${mark}</h${depth}>\n`;
      },
      code({ text: code, lang = "" }) {
        const [language] = lang.split(/\s/);
        return codeBlock(code, language, { file: /(?:^|\s)file=(\S+)/.exec(lang)?.[1] });
      },
      table({ header, rows }) {
        const inline = ({ tokens }) => this.parser.parseInline(tokens);
        const names = header.map((cell) => inline(cell).replace(/<[^>]*>/g, ""));
        const heads = header.map((cell) => `<th scope="col">${inline(cell)}</th>`).join("");
        // Each cell has its column's name, for narrow screens, where the rows of a table with many columns are stacked.
        const cells = (row) => row.map((cell, at) => `<td data-column="${names[at]}">${inline(cell)}</td>`).join("");
        const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join("\n");
        const kind = header.length > 2 ? ' class="many"' : "";
        return `<div class="table"><table${kind}><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escape(destination(href, where))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: alternative }) {
        const img = `<img src="${escape(destination(href, where))}" alt="${escape(alternative)}">`;
        return href.endsWith(".svg") ? `<span class="picture" tabindex="0">${img}</span>` : img;
      },
      html({ text: raw }) {
        if (raw.trimStart().startsWith("<!--")) return "";
        throw new Error(`${where.source}: \`${raw.trim()}\`: write Markdown, not HTML`);
      },
    },
  });
  const html = marked.parse(text);
  const title = headings.find(({ depth }) => depth === 1)?.text.replace(/[`*]/g, "");
  if (!title) throw new Error(`${where.source} has no title: begin with \`# \``);
  return { title, html, headings: headings.filter(({ depth }) => depth === 2) };
}
