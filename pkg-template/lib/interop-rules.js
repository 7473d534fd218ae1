// What a store decides, decided by the module: so that a store of the page's, in memory or durable, holds no rule. All of
// it is synchronous and may be called inside a transaction. Called by `interop-memory.js` and `interop-stores.js`.

import { stringify } from "./intrinsics.js";
import { enter } from "./interop-module.js";

const COMMITS = ["refuse", "write", "keep"];
const PLACES = ["advanced", "duplicate", "stale", "conflict"];

/** A record with its response named by its digest alone: no rule looks further. */
const recordText = (record) =>
  record
    ? stringify({ ...record, response: record.response === null ? null : { responseDigest: record.responseDigest } })
    : undefined;

/** Whether a run may begin. Throws `IDEMPOTENCY_KEY_REUSED` for another request's key. */
export const mayReserve = (stored, reservation) =>
  enter((glue) => glue.mayReserve(recordText(stored), stringify({ ...reservation, response: null })));

/** `"write"`, `"keep"` (it is written already) or `"refuse"`. */
export const whatToCommit = (stored, { requestDigest, reservationId, responseDigest }) => {
  const run = { requestDigest, reservationId, reservedUntilLogicalMs: 0, response: { responseDigest } };
  return COMMITS[enter((glue) => glue.whatToCommit(recordText(stored), stringify(run)))];
};

/** Where a claim stands below `head`, the highest so far: `{ sequence, requestDigest }`, or nothing. */
export const placeOf = (head, claim) =>
  PLACES[enter((glue) => glue.placeOf(head?.sequence ?? 0, head?.requestDigest, stringify(claim)))];

/** The number of an allocation, given the one that its key has already and the highest so far. */
export const numberFor = (allocation, allocated, head) =>
  enter((glue) => glue.numberFor(stringify(allocation), allocated ?? undefined, head));

/** Throws unless these are a client's id and a session's. */
export const checkScope = ({ issuerId, sessionId }) => {
  numberFor({ issuerId, sessionId, maximumSequence: 1 }, undefined, 0);
};

/** The number of a place in its text; -1 for another text. */
export const placeNumber = (place) => PLACES.indexOf(place);
