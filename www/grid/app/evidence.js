// Checks envelopes by the platform's own SHA-256 and Ed25519, beside what the client has checked: the page says what holds of
// an envelope as it went over the wire.

import { canonicalJson } from "/pkg/dist/interop.js";

const PREFIX = "agentplat-interop-v1";
const ED25519 = { name: "Ed25519" };
const encoder = new TextEncoder();

const hexOf = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** `sha256:` and 64 digits, over a text. */
export async function sha256(text) {
  return `sha256:${hexOf(await crypto.subtle.digest("SHA-256", encoder.encode(text)))}`;
}

const digestIn = (domain, value) => sha256(`${PREFIX}\0${domain}\0${canonicalJson(value)}`);

export const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
export const fromBase64url = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

/** A public key of 43 characters of base64url. */
export const publicKey = (text) => crypto.subtle.importKey("raw", fromBase64url(text), ED25519, true, ["verify"]);

/** The digests that an envelope of this kind (`"request"` or `"response"`) should carry. */
export async function digestsOf(kind, envelope) {
  const { signature: _signature, [`${kind}Digest`]: _digest, ...body } = envelope;
  const payloadDigest = await digestIn(`${kind}-payload`, envelope.payload);
  return { payloadDigest, digest: await digestIn(kind, { ...body, payloadDigest: envelope.payloadDigest }) };
}

async function isSigned(key, digest, signature) {
  try {
    return await crypto.subtle.verify(ED25519, key, fromBase64url(signature), encoder.encode(digest));
  } catch {
    // No text of a signature at all.
    return false;
  }
}

/** What holds of a request: `[{ what, detail, holds }]`. `key` is the signer's public key. */
export async function checkRequest(request, key) {
  const { payloadDigest, digest } = await digestsOf("request", request);
  return [
    { what: "payload digest", detail: request.payloadDigest, holds: payloadDigest === request.payloadDigest },
    { what: "request digest", detail: request.requestDigest, holds: digest === request.requestDigest },
    { what: "agent's signature", detail: request.signature, holds: await isSigned(key, request.requestDigest, request.signature) },
  ];
}

/** What holds of the response to a request. */
export async function checkResponse(response, request, key) {
  const { payloadDigest, digest } = await digestsOf("response", response);
  const isBound = ["requestDigest", "endpointId", "sessionId", "operation", "sequence"].every((name) => response[name] === request[name]);
  return [
    { what: "answers this request", detail: response.requestDigest, holds: isBound },
    { what: "payload digest", detail: response.payloadDigest, holds: payloadDigest === response.payloadDigest },
    { what: "response digest", detail: response.responseDigest, holds: digest === response.responseDigest },
    { what: "environment's signature", detail: response.signature, holds: await isSigned(key, response.responseDigest, response.signature) },
  ];
}
