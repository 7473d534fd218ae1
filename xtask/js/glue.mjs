// Fits the glue that wasm-bindgen made to the module that the package ships, and makes it small: nearly all of it is
// the same few lines written out for each function. Every change is one of form, but for how a long text is passed; what
// matches none stays as it is. Called by `bundle.mjs`.

const escaped = (text) => text.replace(/[$.*+?^()[\]{}|\\]/g, "\\$&");

/** Replaces in `glue.text`, and fails where wasm-bindgen no longer writes what is expected. */
const replacing = (glue) => ({
  once(pattern, by) {
    const found = glue.text.match(new RegExp(pattern.source, `${pattern.flags}g`));
    if (found?.length !== 1) throw new Error(`the glue has ${found?.length ?? 0} places like ${pattern}: wasm-bindgen changed`);
    glue.text = glue.text.replace(pattern, by);
  },
  all(pattern, by) {
    glue.text = glue.text.replace(pattern, by);
  },
});

/** The short names that wasm-opt gave to imports and exports. */
const rename = ({ once, all }, names) => {
  for (const [, name, short] of names.imports) {
    once(new RegExp(`^(\\s+)${escaped(name)}:`, "m"), (_, space) => `${space}${JSON.stringify(short)}:`);
  }
  once(/"\.\/agent_surface_wasm_bg\.js": import0/, "a: import0");
  const shorts = new Map(names.exports);
  all(/\bwasm\.([$\w]+)/g, (_, name) => {
    if (!shorts.has(name)) throw new Error(`the glue uses an export \`${name}\` that the module does not have`);
    return `wasm[${JSON.stringify(shorts.get(name))}]`;
  });
};

/**
 * Arguments: `const ptr0 = pass(text, …); const len0 = WASM_VECTOR_LEN; … f(ptr0, len0)` becomes
 * `f(pass(text), WASM_VECTOR_LEN)`; the length is read right after it was written, as before.
 */
const inlineArguments = ({ all }) => {
  const malloc = String.raw`wasm\.__wbindgen_malloc`;
  all(new RegExp(`, ${malloc}(, wasm\\.__wbindgen_realloc)?\\);$`, "gm"), ");");
  all(/= isLikeNone\((\w+)\) \? 0 : passStringToWasm0\(\1\);/g, "= passOption($1);");
  const declared = /^ +(?:const|var) ptr(\d+) = (pass\w+\(\w+\));\n +(?:const|var) len\1 = WASM_VECTOR_LEN;\n/m;
  all(/^( *)(?:export function |async )?\w+\([^)]*\) \{\n[^]*?^\1\}$/gm, (body) => {
    for (let found; (found = body.match(declared)); ) {
      const [lines, number, call] = found;
      const parts = body.replace(lines, "").split(`ptr${number}, len${number}`);
      if (parts.length !== 2) throw new Error(`the glue passes ${call} in a way of its own: wasm-bindgen changed`);
      body = parts.join(`${call}, WASM_VECTOR_LEN`);
    }
    return body;
  });
};

/** Results: texts, texts that may be absent, and what comes with an error beside it. By index: a page may patch iterators. */
const inlineResults = ({ all }) => {
  all(
    /^ +var ptr(\d+) = ret\[0\];\n +var len\1 = ret\[1\];\n +if \(ret\[3\]\) \{\n +ptr\1 = 0; len\1 = 0;\n +throw takeFromExternrefTable0\(ret\[2\]\);\n +\}\n( +deferred\d+_0 = )ptr\1(;\n +deferred\d+_1 = )len\1(;\n +return getStringFromWasm0\()ptr\1, len\1/gm,
    "        unless(ret, 3);\n$2ret[0]$3ret[1]$4ret[0], ret[1]",
  );
  all(
    /^ +let deferred(\d+)_0;\n +let deferred\1_1;\n +try \{\n( +const ret = [^\n]*\n(?: +unless\(ret, 3\);\n)?) +deferred\1_0 = ret\[0\];\n +deferred\1_1 = ret\[1\];\n +return getStringFromWasm0\(ret\[0\], ret\[1\]\);\n +\} finally \{\n[^\n]*\n +\}\n/gm,
    "$2        return takeString(ret);\n",
  );
  all(
    /^ +let v(\d+);\n +if \((\S+) !== 0\) \{\n +v\1 = getStringFromWasm0\(\2, (\S+)\);\n +wasm\.__wbindgen_free\(\2, \3 \* 1, 1\);\n +\}\n/gm,
    "        const v$1 = takeOption([$2, $3]);\n",
  );
  all(
    /^ +var v1 = getArrayU32FromWasm0\(ret\[0\], ret\[1\]\)\.slice\(\);\n +wasm\.__wbindgen_free\(ret\[0\], ret\[1\] \* 4, 4\);\n +return v1;\n/gm,
    "        return takeNumbers(ret);\n",
  );
  all(/if \(ret\[(\d)\]\) \{\n +throw takeFromExternrefTable0\(ret\[\d\]\);\n +\}/g, "unless(ret, $1);");
  // And without the variables between.
  all(/\[ret\[0\], ret\[1\]\]/g, "ret");
  all(/^ +const (v\d+) = (takeOption\(ret\));\n +return \1;$/gm, "        return $2;");
  all(/^ +const ret = (.*);\n +unless\(ret, (\d)\);\n/gm, "        const ret = unless($1, $2);\n");
  all(/^ +const ret = (.*);\n +return (take\w+)\(ret\);$/gm, "        return $2($1);");
  all(/^ +const ret = (.*);\n +return ret\[0\]( >>> 0| !== 0|);$/gm, "        return $1[0]$2;");
};

const HELPERS = `
const unless = (ret, at) => {
    if (ret[at]) throw takeFromExternrefTable0(ret[at - 1]);
    return ret;
};
const passOption = (text) => (isLikeNone(text) ? 0 : passStringToWasm0(text));
const takeString = (ret) => {
    try {
        return getStringFromWasm0(ret[0], ret[1]);
    } finally {
        wasm.__wbindgen_free(ret[0], ret[1], 1);
    }
};
const takeOption = (ret) => (ret[0] === 0 ? undefined : takeString(ret));
const numbersAt = (ptr, length) => new Uint32Array(wasm.memory.buffer, ptr >>> 0, length);
const takeNumbers = (ret) => {
    const numbers = numbersAt(ret[0], ret[1]).slice();
    wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
    return numbers;
};
const keep = (error) => wasm.__wbindgen_exn_store(addToExternrefTable0(error));
`;

/** What the package's engines all have, what only the loaders of wasm-bindgen need, and what the facade never calls. */
const drop = ({ once, all }) => {
  once(/^if \(Symbol\.dispose\) .*\n/m, "");
  // The realm holds every registry until it is disposed: none is ever collected with a handle.
  once(/^const RegistryFinalization = [^]*?;\n/m, "");
  all(/^ +RegistryFinalization\.(un)?register\(.*\);\n/gm, "");
  once(/^function passStringToWasm0\(arg, malloc, realloc\) \{\n +if \(realloc === undefined\) \{[^]*?\n {4}\}\n/m, "function passStringToWasm0(arg) {\n");
  // Unit by unit is the faster way for short texts alone.
  once(/^( +for \(; )(offset < len; offset\+\+\) \{)$/m, "$1len < 200 && $2");
  once(/^function passArray32ToWasm0\(arg, malloc\)/m, "function passArray32ToWasm0(arg)");
  all(/(?<!\.)\b(malloc|realloc)\(/g, "wasm.__wbindgen_$1(");
  once(/^if \(!\('encodeInto' in cachedTextEncoder\)\) \{\n[^]*?^\}\n/m, "");
  // The first text makes the decoder; lists of numbers are rare, and short.
  once(/^let cachedTextDecoder = [^\n]*\ncachedTextDecoder\.decode\(\);\n/m, "let cachedTextDecoder;\n");
  once(/^let numBytesDecoded = 0;$/m, "let numBytesDecoded = MAX_SAFARI_DECODE_BYTES;");
  once(/^let cachedUint32ArrayMemory0 = null;\nfunction [^]*?^\}\n/m, "");
  once(/^ +cachedUint32ArrayMemory0 = null;\n/m, "");
  once(/getUint32ArrayMemory0\(\)\.set\(arg, ptr \/ 4\)/, "numbersAt(ptr, arg.length).set(arg)");
  once(/^function getArrayU32FromWasm0\([^]*?^\}\n/m, "");
  once(/^function getArrayU8FromWasm0\([^]*?^\}\n/m, "");
  once(/getArrayU8FromWasm0\(arg0, arg1\)/, "new Uint8Array(wasm.memory.buffer, arg0 >>> 0, arg1)");
  once(/^function handleError\([^]*?^\}\n/m, HELPERS);
  once(/^let wasmModule, wasmInstance, wasm;$/m, "let wasm;");
  all(/^ +(wasmInstance = instance|wasmModule = module);\n/gm, "");
};

/** What the module calls. Its numbers go to the host as the module has them: they are small, or mean nothing to it. */
const inlineImports = ({ once, all }) => {
  all(/^( {12}(?:const ret = )?arg0\..*)$/gm, (line) => line.replace(/(arg\d+) >>> 0/g, "$1"));
  // An engine of the package's has `globalThis`, the first that is asked for.
  all(/^ +const ret = typeof (global|self|window) === 'undefined' \? null : \1;\n +return .*$/gm, "return 0;");
  all(/: function\(\) \{ return handleError\(function (\([^)]*\)) \{\n([^]*?)\n +\}, arguments\); \}/g, ": $1 => { try {\n$2\n} catch (error) { keep(error); } }");
  all(/: function(\([^()]*\)) \{$/gm, ": $1 => {");
  once(/^ +table\.set\(offset \+ 0, undefined\);\n[^]*?^ +table\.set\(offset \+ 3, false\);\n/m, "[undefined, null, true, false].forEach((value, at) => table.set(offset + at, value));\n");
  // What the engine looks up are own properties.
  all(/^ +__proto__: null,\n/gm, "");
  // A call whose result the module ignores.
  all(/=> \{\n +(arg0\.[^\n]*);\n *\}/g, "=> $1");
};

/** One object in place of the exports: shorter than the accessors that a namespace needs. */
const gather = ({ once, all }) => {
  once(/^export \{ initSync, __wbg_init as default \};$/m, "");
  const names = ["Registry", "imports: __wbg_get_imports", "start: __wbg_finalize_init"];
  all(/^export class /gm, "class ");
  all(/^export function (\w+)/gm, (_, name) => {
    names.push(name);
    return `function ${name}`;
  });
  all(/$(?![^])/g, `\nexport const glue = { ${names.join(", ")} };\n`);
};

/** @param {{ imports: string[][], exports: string[][] }} names  what wasm-opt printed */
export const fitGlue = (text, names) => {
  const glue = { text: text.replace(/^ *\/\*\*[^]*?\*\/\n/gm, "") };
  const replace = replacing(glue);
  inlineArguments(replace);
  inlineResults(replace);
  inlineImports(replace);
  drop(replace);
  gather(replace);
  rename(replace, names);
  return glue.text;
};
