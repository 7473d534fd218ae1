// A server that plays a model: Anthropic Messages, OpenAI Chat Completions and Responses, whole or streamed, over real HTTP. What
// the model says is a script; what a service refuses, this one refuses, with the service's words.

import { createServer } from "node:http";
import * as anthropic from "./anthropic.mjs";
import * as chat from "./openai-chat.mjs";
import * as responses from "./openai-responses.mjs";
import { Refusal } from "./refusal.mjs";

const WIRES = [anthropic, chat, responses];
const MAX_BYTES = 16 * 1024 * 1024;

const readBody = async (request) => {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Refusal(413, "Request exceeds the maximum size");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refusal(400, "We could not parse the JSON body of your request.");
  }
};

/** Pages of any origin may ask, as they may at the services that allow it. */
const allow = (request, response) => {
  response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
  response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "*");
  response.setHeader("access-control-allow-methods", "POST");
};

const sendJson = (response, status, body) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};

const sendEvents = async (response, events) => {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  for (const { event, data } of events) {
    if (response.destroyed) return;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event ? `event: ${event}\n` : ""}data: ${text}\n\n`);
    // Each piece in a packet of its own, as far as the host does that.
    await new Promise(setImmediate);
  }
  response.end();
};

/**
 * Starts one. `script(request)` is asked for each answer: `request` is `{ wire, system, asked, results, tools, body, turn }`, where
 * `asked` is what the user said last and `results` are those of the calls since then. It answers, maybe by a promise, `{ text?,
 * calls?: [{ name, input } | { name, text }], isCut? }`, or `{ status, message }` for an error. `text` of a call is its arguments as
 * they are, JSON or not; an `id` may be given.
 *
 * @returns {Promise<{ url: string, requests: object[], close: () => Promise<void> }>}  `requests`: what came, in order,
 *   with `wire`, `headers` and, where one was refused, `refused`
 */
export async function startModelServer(script, { port = 0, host = "127.0.0.1" } = {}) {
  const requests = [];
  const answer = async (wire, request, response) => {
    const body = await readBody(request);
    const kept = { wire: wire.path, headers: request.headers, body };
    requests.push(kept);
    try {
      const read = wire.read(body, request.headers);
      const reply = await script({ wire: wire.path, body, turn: requests.length, ...read });
      if (reply.status !== undefined) throw new Refusal(reply.status, reply.message);
      if (body.stream === true) await sendEvents(response, wire.events(reply, body));
      else sendJson(response, 200, wire.whole(reply, body));
    } catch (error) {
      kept.refused = error.message;
      throw error;
    }
  };
  const server = createServer((request, response) => {
    allow(request, response);
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    const { pathname } = new URL(request.url, "http://localhost");
    const wire = WIRES.find(({ path }) => path === pathname);
    if (!wire || request.method !== "POST") {
      sendJson(response, 404, chat.faultOf({ status: 404, message: `Unknown request URL: ${request.method} ${pathname}.` }));
      return;
    }
    answer(wire, request, response).catch((error) => {
      if (response.headersSent) response.destroy(error);
      else sendJson(response, error.status ?? 500, wire.faultOf({ status: error.status ?? 500, message: error.message }));
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${host}:${server.address().port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    /** It keeps no process alive. */
    unref: () => server.unref(),
  };
}
