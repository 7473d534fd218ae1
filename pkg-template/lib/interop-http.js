// The HTTP transport: `fetch`, and a body that is read within its bound and no further. Where the resources are and what
// counts as a reply, the module says. Public through `interop-api.js`.

import { givenBytes, givenNumber } from "./given.js";
import { isFunction } from "./thenable.js";
import { refuseAnswer, refuseOption } from "./interop-errors.js";
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

/** The canonical text of a reply. */
const receive = async (place, response) => {
  const { status, headers, body } = response ?? {};
  if (!Number.isInteger(status) || !isFunction(headers?.get)) {
    throw refuseAnswer("expected `fetch` to give a response, with `status` and `headers`");
  }
  const declared = declaredBytes(headers);
  let reply;
  let reader;
  try {
    reply = enter(() => place.reply(status, declared));
    reader = body?.getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader.read()) {
      if (!ArrayBuffer.isView(piece.value)) throw refuseAnswer("expected `fetch` to give a body of bytes");
      const bytes = givenBytes(piece.value);
      enter(() => reply.push(bytes));
    }
    return enter(() => reply.finish());
  } catch (error) {
    // What is not read is not wanted; that it cannot be cancelled any more, or fails to be, changes nothing.
    (reader ?? body)?.cancel().catch(() => {});
    throw error;
  } finally {
    if (reply) release(reply);
  }
};

export class HttpInteropTransport {
  #place;
  #headers;
  #fetch;

  constructor({ baseUrl, headers, maximumResponseBytes, fetch = globalThis.fetch }) {
    if (!isFunction(fetch)) throw refuseOption("expected `fetch` to be a function");
    this.#fetch = fetch;
    this.#headers = new Headers(headers);
    const folder = folderOf(baseUrl);
    if (maximumResponseBytes !== undefined) givenNumber(maximumResponseBytes, "`maximumResponseBytes`", refuseOption);
    this.#place = enter((glue) => new glue.HttpPlace(folder, maximumResponseBytes));
  }

  async #request(url, options) {
    const response = await apply(this.#fetch, undefined, [url, options]);
    return receive(this.#place, response);
  }

  async manifest({ signal } = {}) {
    return this.#request(
      enter(() => this.#place.manifest()),
      { headers: this.#headers, signal },
    );
  }

  async exchange(request, { signal } = {}) {
    const headers = new Headers(this.#headers);
    headers.set("content-type", "application/json");
    return this.#request(
      enter(() => this.#place.exchange()),
      { method: "POST", headers, body: request, signal },
    );
  }
}
