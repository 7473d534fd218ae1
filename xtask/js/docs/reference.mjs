// The reference: a page for each entry of the package, read from its types with TypeScript's own parser. A declaration is shown
// as it is written; its comment is the text, its `@example` the example. What a page before has already is only named.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { codeBlock, escape, renderMarkdown } from "./markdown.mjs";

const tests = new URL("../../../tests/node_modules/typescript/dist/", import.meta.url);
const { API } = await import(new URL("api/sync/api.js", tests).href);
const { SyntaxKind } = await import(new URL("ast/index.js", tests).href);

const KINDS = new Map([
  [SyntaxKind.InterfaceDeclaration, "interface"],
  [SyntaxKind.TypeAliasDeclaration, "type"],
  [SyntaxKind.FunctionDeclaration, "function"],
  [SyntaxKind.ClassDeclaration, "class"],
  [SyntaxKind.VariableStatement, "value"],
  [SyntaxKind.EnumDeclaration, "enum"],
]);

/** The pages by their name: `{ label, title, html, headings }`. */
export function renderReference(root, manifest) {
  const entries = entriesOf(manifest);
  const files = parse(root, entries.map(({ types }) => types));
  const placed = new Map();
  const pages = entries.map((entry) => pageOf(entry, files, placed));
  const linkFrom = (page) => (name) => {
    const place = placed.get(name);
    return place && (place === page ? `#${name}` : `${basename(place)}.html#${name}`);
  };
  return new Map(pages.map((page) => [page.name, htmlOf(page, linkFrom(page.name))]));
}

/** The entries that have types: what is imported, the page's name, the file. */
function entriesOf({ name, exports }) {
  const found = [];
  for (const [path, conditions] of Object.entries(exports)) {
    const types = typesIn(conditions);
    if (!types) continue;
    const page = path === "." ? "main" : path.slice(2).replaceAll("/", "-");
    found.push({ specifier: name + path.slice(1), label: path === "." ? name : path.slice(1), name: `reference/${page}`, types });
  }
  return found;
}

/** The file of types that an `import` finds. */
function typesIn(conditions) {
  if (typeof conditions !== "object") return undefined;
  if (conditions.types) return conditions.types;
  const names = Object.keys(conditions).filter((name) => name !== "require");
  return names.map((name) => typesIn(conditions[name])).find((types) => types?.endsWith(".d.ts"));
}

/** Every file that the entries reach, by its name: its heading, what it declares, what it passes on. */
function parse(root, entries) {
  const folder = join(root, "target/docs-types");
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "tsconfig.json");
  const options = { noEmit: true, noLib: true, types: [], module: "nodenext", target: "esnext" };
  const names = entries.map((types) => join(root, "pkg-template", types));
  writeFileSync(config, JSON.stringify({ compilerOptions: options, files: names }));
  const api = new API();
  try {
    const { program } = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const own = program.getSourceFileNames().filter((name) => name.includes("pkg-template/types/"));
    return new Map(own.map((name) => [basename(name), readFile(program.getSourceFile(name))]));
  } finally {
    api.close();
  }
}

function readFile(file) {
  const heading = /^(?:\/\/\/[^\n]*\n\s*)*\/\*\*([^]*?)\*\/\s*\n\s*\n?(?=import|export|\/\*\*|\/\/)/.exec(file.text)?.[1];
  const declared = new Map();
  const passedOn = [];
  for (const statement of file.statements) {
    if (statement.kind === SyntaxKind.ExportDeclaration) passedOn.push(passing(statement));
    else if (KINDS.has(statement.kind)) declare(declared, statement, file);
  }
  return { heading: heading && commentText(heading), declared, passedOn };
}

/** `export * from` has no names. */
function passing(statement) {
  const names = statement.exportClause?.elements?.map(({ name }) => name.text);
  return { from: statement.moduleSpecifier && basename(statement.moduleSpecifier.text).replace(/\.js$/, ".d.ts"), names };
}

function declare(declared, statement, file) {
  const list = statement.declarationList?.declarations;
  const { text: name } = (list ? list[0] : statement).name;
  const code = file.text.slice(statement.getStart(file), statement.end).replace(/^export (declare )?/, "");
  const comments = file.text.slice(statement.pos, statement.getStart(file)).match(/\/\*\*[^]*?\*\//g) ?? [];
  const comment = comments.length > 0 ? commentText(comments.at(-1).slice(3, -2)) : "";
  const isExported = (statement.modifiers ?? []).some(({ kind }) => kind === SyntaxKind.ExportKeyword);
  const before = declared.get(name);
  if (before) Object.assign(before, { code: `${before.code}\n${code}`, comment: `${before.comment}\n\n${comment}`.trim() });
  else declared.set(name, { name, kind: KINDS.get(statement.kind), code, comment, isExported });
}

const commentText = (raw) => raw.split("\n").map((line) => line.replace(/^\s*\* ?/, "")).join("\n").trim();

/** What an entry exports, file by file; notes in `placed` where each name is explained. */
function pageOf(entry, files, placed) {
  const sections = [];
  const elsewhere = [];
  const visit = (fileName, wanted) => {
    const file = files.get(fileName);
    if (!file) throw new Error(`docs: \`${fileName}\` is passed on, and not among the types`);
    const chosen = [...file.declared.values()].filter(({ name, isExported }) => isExported && (!wanted || wanted.includes(name)));
    const fresh = chosen.filter(({ name }) => !placed.has(name) || name === "init");
    elsewhere.push(...chosen.filter((each) => !fresh.includes(each)).map(({ name }) => name));
    const helpers = fresh.length > 0 ? [...file.declared.values()].filter(({ name, isExported }) => !isExported && !placed.has(name)) : [];
    for (const { name } of [...fresh, ...helpers]) if (!placed.has(name)) placed.set(name, entry.name);
    if (fresh.length > 0) sections.push({ heading: fileName === basename(entry.types) ? undefined : file.heading, declarations: [...fresh, ...helpers] });
    for (const { from, names } of file.passedOn) if (from && (!wanted || !names)) visit(from, names ?? wanted);
  };
  visit(basename(entry.types));
  return { ...entry, intro: files.get(basename(entry.types)).heading ?? "", sections, elsewhere: elsewhere.sort() };
}

function htmlOf(page, linkOf) {
  const title = page.specifier;
  const headings = [];
  const parts = [`<h1>${escape(title)}</h1>`, texts(page.intro, linkOf), contentsHtml(page)];
  if (page.elsewhere.length > 0) parts.push("<p>Also exported here, and explained elsewhere:</p>", namesHtml(page.elsewhere, linkOf));
  for (const { heading, declarations } of page.sections) {
    if (heading) {
      const [word] = heading.split(/(?<=[.:])\s/)[0].replace(/[.:]$/, "").split(/[:;,] /);
      // `Adapters: what …` says its title and what that is.
      const text = heading.startsWith(`${word}: `) ? heading.slice(word.length + 2) : heading;
      const anchor = `part-${headings.length + 1}`;
      const inner = escape(word).replace(/`([^`]+)`/g, "<code>$1</code>");
      headings.push({ anchor, inner, depth: 2 });
      parts.push(`<h2 id="${anchor}">${inner}</h2>`, texts(text[0].toUpperCase() + text.slice(1), linkOf));
    }
    for (const each of declarations) parts.push(declarationHtml(each, linkOf));
    if (!heading) headings.push(...declarations.filter(({ isExported }) => isExported).map(({ name }) => ({ anchor: name, inner: `<code>${name}</code>` })));
  }
  return { label: page.label, title, html: `${parts.join("\n")}\n`, headings };
}

const namesHtml = (names, linkOf) =>
  `<ul class="names">${names.map((name) => `<li><a href="${linkOf(name)}"><code>${name}</code></a></li>`).join("")}</ul>`;

/** What is called, where a page is long; types are linked where they are used. */
function contentsHtml({ sections }) {
  const all = sections.flatMap(({ declarations }) => declarations);
  const called = all.filter(({ kind, isExported }) => isExported && ["function", "class", "value"].includes(kind)).map(({ name }) => name);
  if (called.length < 3 || all.length < 20) return "";
  return `<p>What is called:</p>${namesHtml(called.sort(), (name) => `#${name}`)}`;
}

function declarationHtml({ name, kind, code, comment, isExported }, linkOf) {
  const note = isExported ? kind : `${kind}, not exported`;
  const anchor = `<a class="anchor" href="#${name}" aria-label="Link to ${name}">#</a>`;
  const others = (word) => (word === name ? undefined : linkOf(word));
  return `<h3 id="${name}"><code>${name}</code><span class="kind">${note}</span>${anchor}</h3>\n${texts(comment, linkOf)}${codeBlock(code, "ts", { links: others })}`;
}

/** A comment: its text, and its examples as code. */
function texts(comment, linkOf) {
  const [text, ...examples] = comment.split(/^@example[^\n]*\n?/m);
  const where = { source: "docs/reference/types.md", repository: "" };
  const html = text.trim() ? renderMarkdown(`# types\n\n${text}`, where).html.replace(/^<h1[^]*?<\/h1>\n/, "") : "";
  const linked = html.replace(/<code>(\w+)<\/code>/g, (whole, name) => (linkOf(name) ? `<a href="${linkOf(name)}">${whole}</a>` : whole));
  return linked + examples.map((example) => codeBlock(example.trimEnd(), "ts")).join("");
}
