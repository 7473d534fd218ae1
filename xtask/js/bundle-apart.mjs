// Bundles the scripts of a module beside the main one. Called by `cargo xtask build` with `node bundle-apart.mjs <root>
// <wasm-bindgen folder> <package folder> <version> <name> <entry>`.
//
// They hold what they need of the facade themselves: a page has them beside any entry, in either module format, and
// what the copies must agree on lies in the realm's record. Names stay whole for the same reason.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [root, glueFolder, packageFolder, version, name, entry] = process.argv.slice(2);
const { build } = createRequire(join(root, "tests", "package.json"))("esbuild");
const lib = join(root, "pkg-template", "lib");
const dist = join(packageFolder, "dist");

/** wasm-bindgen copies ASCII unit by unit. The engine's own encoder takes a twentieth of that for a large text. */
const LOOP = /^ {4}for \(; offset < len; offset\+\+\) \{\n(?: {8}.*\n)+ {4}\}\n/m;
const ENCODE = `    if (len > 200) {
        const first = cachedTextEncoder.encodeInto(arg, mem.subarray(ptr, ptr + len));
        if (first.read === len) {
            WASM_VECTOR_LEN = len;
            return ptr;
        }
    }
`;

// The instance can be replaced, which wasm-bindgen's own loader does not do.
const generated = readFileSync(join(glueFolder, `agent_surface_${name}.js`), "utf8");
if (!LOOP.test(generated)) throw new Error("wasm-bindgen passes strings in another way: adapt bundle-apart.mjs");
const made = generated.replace(LOOP, (loop) => ENCODE + loop.replace("offset < len", "len <= 200 && offset < len"));
const exported = Array.from(made.matchAll(/^export (?:function|class) (\w+)/gm), ([, each]) => each).join(", ");
const glue = `${made}\nexport const glue = { ${exported}, imports: __wbg_get_imports, start: __wbg_finalize_init };`;

/** `isWhole`: what a page may load later is inside. */
const modules = (isWhole) => ({
  name: "modules",
  setup(pipe) {
    pipe.onResolve({ filter: /^#interop-stores$/ }, () =>
      isWhole ? { path: join(lib, "interop-stores.js") } : { path: "./interop-stores.js", external: true },
    );
    pipe.onResolve({ filter: /^#[\w-]+-glue$|^#wasm-base64$/ }, ({ path }) => ({ path, namespace: "made" }));
    pipe.onLoad({ filter: /glue/, namespace: "made" }, () => ({ contents: glue }));
    pipe.onLoad({ filter: /base64/, namespace: "made" }, () => ({
      contents: readFileSync(join(dist, `agent_surface_${name}.wasm`)).toString("base64"),
      loader: "text",
    }));
  },
});

const banner = `/*! agent-surface-wasm ${version} | MIT OR Apache-2.0 */`;
const bundle = (source, outfile, options) =>
  build({
    bundle: true,
    minify: true,
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
    format: "esm",
    platform: "neutral",
    entryPoints: [join(lib, `${source}.js`)],
    outfile: join(dist, outfile),
    plugins: [modules(true)],
    banner: { js: banner },
    define: { __VERSION__: JSON.stringify(version) },
    ...options,
  });

await bundle(`entry-${entry}`, `${entry}.js`, { plugins: [modules(false)] });
if (entry === "interop") await bundle("interop-stores", "interop-stores.js");
await bundle(`entry-${entry}-inline`, `${entry}-inline.js`);
await bundle(`entry-${entry}-node`, `${entry}.mjs`, { platform: "node" });
await bundle(`entry-${entry}-node`, `${entry}.cjs`, {
  platform: "node",
  format: "cjs",
  inject: [join(lib, "text-coders.js")],
  banner: { js: `${banner}\nconst moduleUrl = require("node:url").pathToFileURL(__filename);` },
  define: { __VERSION__: JSON.stringify(version), "import.meta.url": "moduleUrl" },
});
