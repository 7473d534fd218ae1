// Bundles the facade of pkg-template/lib into the scripts of the package. Called by `cargo xtask build` with
// `node bundle.mjs <root> <wasm-bindgen folder> <package folder> <version>`.
//
// One shared script per module format (`core.js`, `core.cjs`) holds the facade and the glue; every entry is a few
// lines around it. So a page, or a Node process that mixes `import` and `require`, holds one facade and one instance.
// `approvals.js` holds `<agent-approvals>`, which only pages load; CommonJS entries carry it inside.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fitGlue } from "./glue.mjs";
import { internalProperties } from "./internal.mjs";

const [root, glueFolder, packageFolder, version] = process.argv.slice(2);
const require = createRequire(join(root, "tests", "package.json"));
const { build } = require("esbuild");
const { minify } = require("terser");
const lib = join(root, "pkg-template", "lib");
const dist = join(packageFolder, "dist");
const wasm = join(dist, "agent_surface.wasm");

const banner = { js: `/*! agent-surface-wasm ${version} | MIT OR Apache-2.0 */` };
// Reference types, bulk memory and multi-value are in every engine that also has ES2022.
const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  banner,
  define: { __VERSION__: JSON.stringify(version) },
  metafile: true,
};

/** `#core` becomes the shared script, `#api` its public names, `#approvals` the element, `#wasm-base64` the module as a text. */
const entryPlugin = (format, names) => ({
  name: "entries",
  setup(pipe) {
    const isModule = format === "esm";
    const core = { path: isModule ? "./core.js" : "./core.cjs", external: true };
    pipe.onResolve({ filter: /^#core$/ }, () => core);
    pipe.onResolve({ filter: /^#approvals$/ }, () =>
      isModule ? { path: "./approvals.js", external: true } : { path: join(lib, "approvals.js") },
    );
    // An entry's own `init` hides the one that `export *` would bring.
    pipe.onResolve({ filter: /^#api$/ }, ({ path }) => (isModule ? core : { path, namespace: "made" }));
    pipe.onResolve({ filter: /^#wasm-base64$/ }, ({ path }) => ({ path, namespace: "made" }));
    pipe.onResolve({ filter: /agent_surface\.wasm/ }, ({ path }) => ({ path, external: true }));
    pipe.onLoad({ filter: /^#api$/, namespace: "made" }, () => ({
      contents: `export { ${names.join(", ")} } from "#core";`,
    }));
    pipe.onLoad({ filter: /^#wasm-base64$/, namespace: "made" }, () => ({
      contents: readFileSync(wasm).toString("base64"),
      loader: "text",
    }));
  },
});

const glue = fitGlue(
  readFileSync(join(glueFolder, "agent_surface_wasm.js"), "utf8"),
  JSON.parse(readFileSync(join(glueFolder, "names.json"), "utf8")),
);

const gluePlugin = {
  name: "glue",
  setup(pipe) {
    pipe.onResolve({ filter: /^#glue$/ }, ({ path }) => ({ path, namespace: "glue" }));
    pipe.onLoad({ filter: /.*/, namespace: "glue" }, () => ({ contents: glue }));
  },
};

/** All but those of `/targets`, `/surface` and `/interop`, whose scripts are made apart and get no short names. */
const types = readdirSync(join(root, "pkg-template", "types"))
  .filter((name) => !/^(targets|surface|interop)\b/.test(name))
  .map((name) => readFileSync(join(root, "pkg-template", "types", name), "utf8"));
const internal = internalProperties(glue, types.join("\n"));
/** The names that internal properties got: the same in every script, because a realm may load two. */
const internalNames = {};

/** What scripts of a format have in the place of globals. */
const injected = (format) => (format === "cjs" ? [join(lib, "text-coders.js")] : []);

/** `JSON.parse` in the sources is what `intrinsics.js` captured, and so on. */
const captured = {};
for (const [, names, owner] of readFileSync(join(lib, "intrinsics.js"), "utf8").matchAll(/const \{ (.*) \} = (\w+);/g)) {
  for (const name of names.split(", ")) captured[`${owner}.${name}`] = name;
}
const capturedPlugin = {
  name: "captured",
  setup(pipe) {
    pipe.onResolve({ filter: /^#captured$/ }, ({ path }) => ({ path, namespace: "captured" }));
    // After the glue, which few others use: the shortest names are free for the variables of functions.
    pipe.onLoad({ filter: /.*/, namespace: "captured" }, () => ({
      contents: `import "#glue"; export { ${Object.values(captured).join(", ")} } from "./intrinsics.js";`,
      resolveDir: lib,
    }));
  },
};

/**
 * esbuild joins the sources, terser makes the result a twentieth smaller than esbuild does alone. No `pure_getters`: a
 * read may run a page's getter, and is meant to. A variable stands for `undefined`.
 */
const shrink = async (outfile, format) => {
  const path = join(dist, outfile);
  const { code } = await minify(`${readFileSync(path, "utf8")};var undefined;`, {
    ecma: 2022,
    module: format === "esm",
    toplevel: true,
    compress: { ecma: 2022, passes: 3, keep_fargs: false, pure_getters: false, unsafe_arrows: true, unsafe_undefined: true },
    // Also those of them that some object of a browser has: the list says that they are the facade's.
    mangle: { properties: { builtins: true, regex: internal } },
    nameCache: { props: internalNames },
    format: { comments: false, preamble: banner.js },
  });
  writeFileSync(path, `${code}\n`);
};

/** Bundles the shared script and answers with its public names, sorted. */
const bundleCore = async (outfile, format) => {
  const result = await build({
    ...common,
    format,
    platform: format === "cjs" ? "node" : "neutral",
    entryPoints: [join(lib, "core.js")],
    define: { ...common.define, ...captured },
    inject: ["#captured", ...injected(format)],
    plugins: [gluePlugin, capturedPlugin],
    outfile: join(dist, outfile),
  });
  await shrink(outfile, format);
  const [input] = Object.values(result.metafile.outputs);
  return input.exports.filter((name) => name !== "init").sort();
};

/** A script of its own, which knows the facade's short names and holds no part of it. */
const bundleApart = async (name, format) => {
  const outfile = `${name}.${format === "esm" ? "js" : "cjs"}`;
  await build({ ...common, format, entryPoints: [join(lib, `${name}.js`)], outfile: join(dist, outfile) });
  await shrink(outfile, format);
};

const bundleEntry = (entry, outfile, format, names, options) =>
  build({
    ...common,
    ...options,
    format,
    platform: format === "cjs" ? "node" : "neutral",
    entryPoints: [join(lib, `entry-${entry}.js`)],
    inject: injected(format),
    plugins: [entryPlugin(format, names)],
    outfile: join(dist, outfile),
  });

/** Node's ES modules wrap the CommonJS ones, so that `import` and `require` share one instance. */
const wrap = (name, names, { js } = banner) =>
  writeFileSync(
    join(dist, `${name}.mjs`),
    `${js}\nimport api from "./${name}.cjs";\nexport const { ${names.join(", ")} } = api;\n`,
  );

mkdirSync(dist, { recursive: true });
for (const stale of ["core.js", "core.cjs", "approvals.js", "explain.js", "explain.cjs"]) rmSync(join(dist, stale), { force: true });
const names = await bundleCore("core.js", "esm");
// The same sources in another format: esbuild lists exports of ES modules only.
await bundleCore("core.cjs", "cjs");
await bundleApart("approvals", "esm");
for (const format of ["esm", "cjs"]) await bundleApart("explain", format);
for (const entry of ["index", "inline", "slim", "webmcp", "workerd", "edge-light"]) {
  await bundleEntry(entry, `${entry}.js`, "esm", names);
}
for (const entry of ["inline", "slim", "webmcp"]) {
  await bundleEntry(entry, `${entry}.cjs`, "cjs", names);
}
// They reach into the facade, whose properties have short names.
for (const format of ["esm", "cjs"]) {
  const outfile = format === "esm" ? "testing.js" : "testing.cjs";
  await bundleEntry("testing", outfile, format, names);
  await shrink(outfile, format);
  await bundleEntry("testing-matchers", outfile.replace("testing", "testing-matchers"), format, names);
}
// React is the app's. Where components run on a server by default, this says that these do not.
const client = { external: ["react"], banner: { js: `${banner.js}\n"use client";` } };
for (const format of ["esm", "cjs"]) await bundleEntry("react", format === "esm" ? "react.js" : "react.cjs", format, names, client);
// The peer's side of `/surface`, which speaks to pages by names that are not shortened.
for (const [format, end] of [["esm", "js"], ["cjs", "cjs"]]) await bundleEntry("surface-client", `surface-client.${end}`, format, names);
wrap("surface-client", ["SURFACE_PROTOCOL", "SurfaceClient"]);
wrap("inline", ["init", ...names]);
wrap("slim", ["init", ...names]);
wrap("webmcp", ["createWebMcpAdapter"]);
wrap("testing", ["adapterChecks", "checkAdapter", "createTestSurface", "serializeSurfaceSnapshot"]);
wrap("testing-matchers", ["matchers"]);
wrap("explain", ["explainSurface"]);
const hooks = ["useAgentCapabilities", "useAgentComponent", "useAgentSurface", "usePendingConfirmations", "useToolset"];
wrap("react", ["AgentApprovals", "AgentSurfaceProvider", ...hooks], client.banner);
