// The code that a page of the documentation shows, so that what people copy is what the tests run.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../e2e/harness/server.mjs";

/**
 * The fenced blocks of a page: `{ language, name, text }`. `name` is what stands behind the language: `file=main.js` where
 * people are to make that file, `part=page` where a test puts the pieces together. A block without either has none.
 *
 * @param {string} markdown
 */
export const blocksIn = (markdown) =>
  [...markdown.matchAll(/^(`{3,})([^`\n]*)\n([^]*?)^\1$/gm)].map(([, , info, text]) => {
    const [language = "", ...words] = info.trim().split(/\s+/);
    const [name] = words.map((word) => /^(?:file|part)=(\S+)$/.exec(word)?.[1]);
    if (words.length > 1 || (words.length === 1 && name === undefined)) {
      throw new Error(`\`${info}\`: behind the language of a block stands \`file=name\`, \`part=name\` or nothing`);
    }
    return { language, name, text };
  });

/**
 * The named blocks of a page by their names; several of one name are one text, in their order. A test says which it runs, so
 * that a new one cannot be forgotten.
 *
 * @param {string} path  of the page, from the root
 * @param {string[]} names
 * @returns {Promise<Record<string, string>>}
 */
export async function filesOf(path, names) {
  const files = {};
  for (const { name, text } of blocksIn(await readFile(join(ROOT, path), "utf8"))) {
    if (name !== undefined) files[name] = files[name] === undefined ? text : `${files[name]}\n${text}`;
  }
  const shown = Object.keys(files);
  const amiss = [...shown.filter((name) => !names.includes(name)), ...names.filter((name) => !shown.includes(name))];
  if (amiss.length > 0) throw new Error(`${path} shows ${shown.join(", ")}; its test runs ${names.join(", ")}`);
  return files;
}

/** The packages beside this one that the commands of a page install. */
export function packagesIn(commands) {
  const names = [];
  for (const line of commands.trim().split("\n")) {
    const [, packages] = /^npm install (?:--save-dev )?([\w@/. -]+)$/.exec(line) ?? [];
    assert.ok(packages !== undefined || line === "npm init -y", line);
    names.push(...(packages?.split(" ") ?? []));
  }
  assert.ok(names.includes("agent-surface-wasm") && names.includes("vite"), commands);
  return names.filter((name) => name !== "agent-surface-wasm");
}
