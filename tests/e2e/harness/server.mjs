// A file server for tests, on a free port of this machine. Pages under http://localhost are a secure context, which
// WebMCP wants. It serves what it is given and nothing else; headers and answers can be set per path.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** The working copy's root, with a separator at its end. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The built package. */
export const PACKAGE = process.env.AGENT_SURFACE_PACKAGE ?? join(ROOT, "target", "pkg");

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * @param {object} options
 * @param {Record<string, string>} options.folders  folders by the start of the paths that they answer, the longest first
 * @param {(path: string) => Record<string, string>} [options.headers]  more headers of an answer
 * @param {Record<string, { status?: number, body?: string, headers?: Record<string, string> }>} [options.answers]
 *   fixed answers by path; they go before files
 * @returns {Promise<{ origin: string, close(): Promise<void> }>}
 */
export async function serve({ folders, headers = () => ({}), answers = {} }) {
  const fileOf = (path) => {
    const start = Object.keys(folders).find((prefix) => path.startsWith(prefix));
    const rest = start === undefined ? "" : normalize(path.slice(start.length));
    return rest === "" || rest.startsWith("..") ? undefined : join(folders[start], rest);
  };
  const respond = async (request, response) => {
    let path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    if (path.endsWith("/")) path += "index.html";
    const fixed = answers[path];
    if (fixed) {
      response.writeHead(fixed.status ?? 200, { ...headers(path), ...fixed.headers });
      response.end(fixed.body ?? "");
      return;
    }
    const file = fileOf(path);
    const body = file && (await readFile(file).catch(() => undefined));
    if (body === undefined) {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("no such file");
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...headers(path) });
    response.end(body);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch((error) => {
      response.writeHead(500, { "content-type": "text/plain" });
      response.end(String(error));
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://localhost:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
