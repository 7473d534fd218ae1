// The files that a page of docs/ shows, so that what people copy is what the tests run.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../e2e/harness/server.mjs";

/**
 * Fenced blocks with `file=name` behind their language, by name: several of one name are pieces of one file, in their order.
 *
 * @param {string} markdown
 * @returns {Record<string, string>}
 */
export const filesIn = (markdown) => {
  const files = {};
  for (const [, fence, info, text] of markdown.matchAll(/^(`{3,})([^`\n]*)\n([^]*?)^\1$/gm)) {
    const name = /(?:^|\s)file=(\S+)/.exec(info)?.[1];
    if (name) files[name] = files[name] === undefined ? text : `${files[name]}\n${text}`;
    else if (/file/.test(info)) throw new Error(`\`${fence}${info}\`: a block that names a file says \`file=name\``);
  }
  return files;
};

/** The files of a page, by its path below docs/. */
export const filesOf = async (page) => {
  const files = filesIn(await readFile(join(ROOT, "docs", page), "utf8"));
  if (Object.keys(files).length === 0) throw new Error(`docs/${page} shows no file`);
  return files;
};
