// What the React tests share: the page bundled for a version of React, and the same app on a server.

import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { PACKAGE, ROOT } from "./harness/server.mjs";
import { usePage } from "./surface-page.mjs";

export const VERSIONS = [18, 19];

const PAGES = join(ROOT, "tests", "e2e", "pages");
const require = createRequire(import.meta.url);

/** Has `react` and `react-dom` mean one version, and the package what was built. */
const resolving = (version) => ({
  name: "versions",
  setup(pipe) {
    const suffix = version === 18 ? "18" : "";
    const dist = (name) => () => ({ path: join(PACKAGE, "dist", name) });
    pipe.onResolve({ filter: /^agent-surface-wasm$/ }, dist("inline.js"));
    pipe.onResolve({ filter: /^agent-surface-wasm\/react$/ }, dist("react.js"));
    pipe.onResolve({ filter: /^react(-dom)?(\/.*)?$/ }, ({ path }) => {
      const [, name, rest = ""] = /^(react(?:-dom)?)(\/.*)?$/.exec(path);
      return { path: require.resolve(`${name}${suffix}${rest}`) };
    });
  },
});

const bundle = async (version, entry, options) => {
  const { outputFiles } = await build({
    bundle: true,
    entryPoints: [join(PAGES, entry)],
    define: { "process.env.NODE_ENV": '"development"' },
    logLevel: "error",
    plugins: [resolving(version)],
    write: false,
    ...options,
  });
  return outputFiles?.[0]?.text;
};

const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>react</title><link rel="icon" href="data:,"></head>
<body><script type="module" src="/react.js"></script></body></html>`;

const scripts = new Map();
for (const version of VERSIONS) {
  scripts.set(version, await bundle(version, "react.js", { format: "esm", platform: "browser", target: "es2022" }));
}

/** `usePage` with the page of this version; `R` is what `pages/react.js` says. */
export const useReact = (version, options) => {
  const script = scripts.get(version);
  const answers = {
    "/react.html": { body: HTML, headers: { "content-type": "text/html; charset=utf-8" } },
    "/react.js": { body: script, headers: { "content-type": "text/javascript; charset=utf-8" } },
  };
  return usePage({ path: "/react.html", server: { answers }, ...options });
};

/** What a server sends for the app. */
export const renderOnServer = async (version) => {
  const folder = await mkdtemp(join(tmpdir(), "agent-surface-react-"));
  try {
    const outfile = join(folder, "server.cjs");
    await bundle(version, "react-server.js", { format: "cjs", platform: "node", outfile, write: true });
    return require(outfile).render();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
