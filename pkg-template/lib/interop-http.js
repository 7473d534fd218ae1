// The HTTP transport: `fetch`, and a body that is read within its bound and no further. Where the resources are and what
// counts as a reply, the module says. Public through `interop-api.js`.

import { givenBytes, givenNumber } from "./given.js";
import { parse, stringify } from "./intrinsics.js";
import { isFunction } from "./thenable.js";
import { InteropError, refuseAnswer, refuseOption } from "./interop-errors.js";
import { enter, release } from "./interop-module.js";

const { apply } = Reflect;

/** The folder of a base URL as the platform gives it; the module refuses what is none, and other protocols. */
const folderOf = (baseUrl) => {
  try {
    return new URL("./", baseUrl).href;
  } catch {
    return "";
  }
};

const declaredBytes = (headers) => {
  const length = headers.get("content-length");
  return /^\d+$/.test(length) ? Number(length) : undefined;
};

/** Replies that the module has and nobody has read yet. */
const replies = /* @__PURE__ */ new WeakSet();

export const isReply = (value) => replies.has(value);

/** Bytes that are read of what is no reply, for its reason; and characters of that in an error. */
const REASON_BYTES = 4096;
const REASON_LENGTH = 300;

/** Why there is no reply: `{ error: { code, message } }`, as far as it came. It is quoted: somebody else wrote it. */
const reasonOf = async (reader) => {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for (let piece = await reader.read(); !piece.done && text.length <= REASON_BYTES; piece = await reader.read()) {
      text += decoder.decode(givenBytes(piece.value, REASON_BYTES), { stream: true });
    }
    const { code, message } = parse(text.slice(0, REASON_BYTES)).error;
    return [code, message].map((part) => (typeof part === "string" ? part.slice(0, REASON_LENGTH) : undefined));
  } catch {
    return [];
  }
};

/** The error of a status that is none of a reply: where, and why. The address is shown without its user and query. */
const refusedBy = async ({ message }, status, reader, url, method = "GET") => {
  const { origin, pathname } = new URL(url);
  const [endpointCode, reason] = await reasonOf(reader);
  const parts = [`${method} ${origin}${pathname}`];
  if (endpointCode !== undefined) parts.push(stringify(endpointCode));
  if (reason !== undefined) parts.push(stringify(reason));
  return new InteropError("HTTP_STATUS", message, { detail: parts.join(": "), httpStatus: status, endpointCode });
};

const receive = async (place, response, url, method) => {
  const { status, headers, body } = response ?? {};
  if (!Number.isInteger(status) || !isFunction(headers?.get) || (body && !isFunction(body.getReader))) {
    throw refuseAnswer("expected `fetch` to give a response, with `status`, `headers` and a stream as its `body`");
  }
  const declared = declaredBytes(headers);
  let reply;
  let reader;
  try {
    reader = body?.getReader();
    try {
      reply = enter(() => place.reply(status, declared));
    } catch (error) {
      throw error.code === "HTTP_STATUS" ? await refusedBy(error, status, reader, url, method) : error;
    }
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader.read()) {
      if (!ArrayBuffer.isView(piece.value)) throw refuseAnswer("expected `fetch` to give a body of bytes");
      const bytes = givenBytes(piece.value);
      enter(() => reply.push(bytes));
    }
    replies.add(reply);
    return reply;
  } catch (error) {
    if (reply) release(reply);
    // What is not read is not wanted; that it cannot be cancelled any more, or fails to be, changes nothing.
    const leave = async () => (reader ?? body)?.cancel();
    leave().catch(() => {});
    throw error;
  }
};

/** Reads it here: the canonical text. */
const textOf = (reply) => {
  try {
    return enter(() => reply.finish());
  } finally {
    release(reply);
  }
};

/** A transport whose methods give replies as they came, where it is one of this class and they are its own. */
let repliesOf;

export class HttpInteropTransport {
  #place;
  #headers;
  #fetch;
  #replies;

  static {
    const { manifest, exchange } = this.prototype;
    const own = { manifest, exchange };
    repliesOf = (transport, name) =>
      typeof transport === "object" && transport !== null && #replies in transport && transport[name] === own[name]
        ? transport.#replies
        : transport;
  }

  constructor({ baseUrl, headers, maximumResponseBytes, fetch = globalThis.fetch }) {
    if (!isFunction(fetch)) throw refuseOption("expected `fetch` to be a function");
    this.#fetch = fetch;
    this.#headers = new Headers(headers);
    const folder = folderOf(baseUrl);
    if (maximumResponseBytes !== undefined) givenNumber(maximumResponseBytes, "`maximumResponseBytes`", refuseOption);
    this.#place = enter((glue) => new glue.HttpPlace(folder, maximumResponseBytes));
    this.#replies = {
      manifest: ({ signal }) =>
        this.#request(
          enter(() => this.#place.manifest()),
          { headers: this.#headers, signal },
        ),
      exchange: (request, { signal }) => {
        const headers = new Headers(this.#headers);
        headers.set("content-type", "application/json");
        return this.#request(
          enter(() => this.#place.exchange()),
          { method: "POST", headers, body: request, signal },
        );
      },
    };
  }

  async #request(url, options) {
    const response = await apply(this.#fetch, undefined, [url, options]);
    return receive(this.#place, response, url, options.method);
  }

  async manifest({ signal } = {}) {
    return textOf(await this.#replies.manifest({ signal }));
  }

  async exchange(request, { signal } = {}) {
    return textOf(await this.#replies.exchange(request, { signal }));
  }
}

export { repliesOf };
