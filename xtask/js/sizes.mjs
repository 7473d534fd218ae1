// Prints `[raw, gzip, brotli]` in bytes for each file named on the command line, as JSON. Called by `cargo xtask size`.
// Node's zlib is the reference implementation of both formats, at the levels a server would use for a static file.

import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const sizes = process.argv.slice(2).map((path) => {
  const content = readFileSync(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  return [content.length, gzipSync(content, { level: 9 }).length, brotliCompressSync(content, { params }).length];
});
process.stdout.write(JSON.stringify(sizes));
