// Makes the documentation site: `node site.mjs <root> <folder>`. Its pages are docs/**/*.md, the changes, and a reference that is
// read from the package's types. It refuses links that lead nowhere. Called by `cargo xtask docs` and `cargo xtask demo`.

import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { renderMarkdown } from "./markdown.mjs";
import { renderReference } from "./reference.mjs";
import { pageOf } from "./shell.mjs";

const given = process.argv.slice(2);
if (given.length !== 2) throw new Error("`node site.mjs <root> <folder>`: the working copy's root, and where the site goes");
// Imports and the compiler of types take whole paths only.
const [root, folder] = given.map((path) => resolve(path));

/** The order of the navigation. What is in docs/ and not here comes at the end. */
const GROUPS = [
  ["Start", ["index", "getting-started", "react", "concepts"]],
  ["In the page", ["guide", "targets", "testing", "csp-and-bundlers"]],
  ["Frameworks", ["recipes/vue", "recipes/svelte", "recipes/mastra", "recipes/langgraph"]],
  ["Beyond the page", ["external-agents", "transports", "adapters", "interop"]],
  ["To rely on", ["security", "errors-and-limits", "claims"]],
];

const read = (path) => readFileSync(join(root, path), "utf8");

/** The pages of docs/, by their path without the ending. */
function writtenPages() {
  const names = readdirSync(join(root, "docs"), { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const found = names.filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3)).sort();
  return new Map(found.map((name) => [name, renderMarkdown(read(`docs/${name}.md`), { source: `docs/${name}.md`, repository })]));
}

/** The navigation: groups of pages that exist. */
function navigation(written, reference) {
  const known = GROUPS.flatMap(([, names]) => names);
  const others = [...written.keys()].filter((name) => !known.includes(name));
  const groups = [...GROUPS, ["More", others]].map(([title, names]) => ({
    title,
    pages: names.filter((name) => written.has(name)).map((name) => ({ name, label: name === "index" ? "Overview" : written.get(name).title })),
  }));
  groups.push({ title: "Reference", pages: [...reference].map(([name, { label }]) => ({ name, label, isCode: true })) });
  return groups.filter(({ pages }) => pages.length > 0);
}

/** Where links between the pages lead nowhere. */
function brokenLinks(pages) {
  const broken = [];
  for (const [name, { html }] of pages) {
    for (const [, href] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [path, anchor] = href.split("#");
      const target = path === "" ? `${name}.html` : posix.normalize(posix.join(posix.dirname(name), path));
      const page = pages.get(target.replace(/\.html$/, ""));
      const isFile = FILES.includes(target);
      if (!isFile && (!page || !target.endsWith(".html"))) broken.push(`${name}: \`${href}\` leads to no page`);
      else if (anchor && !page?.html.includes(`id="${anchor}"`)) broken.push(`${name}: \`${href}\`: there is no such place`);
    }
  }
  return broken;
}

const manifest = JSON.parse(read("pkg-template/package.json"));
const repository = `${manifest.repository.url.replace(/^git\+|\.git$/g, "")}/blob/main/`;

const pictures = readdirSync(join(root, "docs")).filter((name) => /\.(svg|webp|png)$/.test(name));
const FILES = ["docs.css", "tokens.css", "favicon.svg", ...pictures];

const written = writtenPages();
const reference = renderReference(root, manifest);
const pages = new Map([...written, ...reference]);
const broken = brokenLinks(pages);
if (broken.length > 0) throw new Error(`docs: links lead nowhere\n  ${broken.join("\n  ")}`);

const groups = navigation(written, reference);
rmSync(folder, { recursive: true, force: true });
for (const [name, page] of pages) {
  const path = join(folder, `${name}.html`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, pageOf({ name, page, groups, version: manifest.version }));
}
for (const name of pictures) cpSync(join(root, "docs", name), join(folder, name));
cpSync(join(root, "xtask/js/docs/docs.css"), join(folder, "docs.css"));
cpSync(join(root, "www/styles/tokens.css"), join(folder, "tokens.css"));
cpSync(join(root, "www/favicon.svg"), join(folder, "favicon.svg"));
console.log(`docs: ${pages.size} pages`);
