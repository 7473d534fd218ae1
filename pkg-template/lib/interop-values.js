// Values of the protocol without a request: canonical texts, digests and manifests. The module makes them. Public through
// `interop-api.js`.

import { freeze, parse } from "./intrinsics.js";
import { givenText } from "./given.js";
import { refuseOption } from "./interop-errors.js";
import { textOf, wireText } from "./interop-json.js";
import { enter } from "./interop-module.js";

/** The canonical text of a value. */
export const canonicalJson = (value) => {
  const text = textOf(value);
  return enter((glue) => glue.canonical(text));
};

/** The digest of a value in a domain of the protocol, `sha256:…`. */
export const interopDigest = (domain, value) => {
  givenText(domain, "the domain", refuseOption);
  const text = textOf(value);
  const digest = enter((glue) => glue.digestOf(domain, text));
  if (digest === undefined) throw refuseOption(`expected a domain of the protocol, found \`${domain}\``);
  return digest;
};

/** A manifest as the page has it: frozen through. */
export const manifestOf = (text) => {
  const manifest = parse(text);
  if (typeof manifest.operations === "object") freeze(manifest.operations);
  return freeze(manifest);
};

/** A manifest from all its members but version, protocol and digest. */
export const createInteropManifest = (body) => {
  const text = textOf(body);
  return manifestOf(enter((glue) => glue.createManifest(text)));
};

/** A manifest from the wire, checked. */
export const readInteropManifest = (wire) => {
  const text = wireText(wire);
  return manifestOf(enter((glue) => glue.readManifest(text)));
};
