// Signatures by the platform's own Ed25519: the signed message is the digest's text. The private key stays where it is, and
// nothing of it is kept, printed or sent. Public through `interop-api.js`.

import { isFunction } from "./thenable.js";
import { InteropError, refuseOption } from "./interop-errors.js";
import { enter } from "./interop-module.js";

const ALGORITHM = { name: "Ed25519" };

const encoder = /* @__PURE__ */ new TextEncoder();
const isDigest = (digest) => typeof digest === "string" && enter((glue) => glue.isDigest(digest));
const isIdentifier = (text) => typeof text === "string" && enter((glue) => glue.isIdentifier(text));

export class WebCryptoAuthenticity {
  #localSignerId;
  #privateKey;
  #resolve;
  #subtle;

  constructor({ localSignerId, privateKey, resolve }) {
    if (!isIdentifier(localSignerId)) throw new InteropError("INVALID_MEMBER", "localSignerId is invalid", { type: "TypeError" });
    if (!isFunction(resolve)) throw refuseOption("expected `resolve` to be a function from a signer's id to its public key");
    this.#subtle = globalThis.crypto?.subtle;
    if (!this.#subtle) throw refuseOption("expected WebCrypto: a page has it in a secure context only");
    this.#localSignerId = localSignerId;
    this.#privateKey = privateKey;
    this.#resolve = resolve;
  }

  get localSignerId() {
    return this.#localSignerId;
  }

  async sign(digest) {
    if (!isDigest(digest)) throw new InteropError("INVALID_MEMBER", "digest is invalid", { type: "TypeError" });
    const bytes = await this.#subtle.sign(ALGORITHM, this.#privateKey, encoder.encode(digest));
    const signature = new Uint8Array(bytes);
    return enter((glue) => glue.encodeSignature(signature));
  }

  async verify({ signerId, digest, signature }) {
    if (!isIdentifier(signerId) || !isDigest(digest) || typeof signature !== "string") return false;
    const bytes = enter((glue) => glue.decodeSignature(signature));
    if (bytes === undefined) return false;
    try {
      const resolve = this.#resolve;
      const key = await resolve(signerId);
      if (key === undefined || key === null) return false;
      return await this.#subtle.verify(ALGORITHM, key, bytes, encoder.encode(digest));
    } catch {
      // What cannot be verified is not valid.
      return false;
    }
  }
}
