// What a store decides, decided by the module: so that a store of the page's, in memory or durable, holds no rule. All of
// it is synchronous and may be called inside a transaction. Called by `interop-memory.js` and `interop-stores.js`.

import { givenMembers } from "./given.js";
import { InteropError, refuseMember } from "./interop-errors.js";
import { enter } from "./interop-module.js";

const COMMITS = ["refuse", "write", "keep"];
const PLACES = ["advanced", "duplicate", "stale", "conflict"];

const RUN = ["requestDigest", "reservationId", "reservedUntilLogicalMs"];
const CLAIM = ["issuerId", "sessionId", "operation", "sequence", "requestDigest"];
const ALLOCATION = ["issuerId", "sessionId", "maximumSequence", "idempotencyKey"];

const refuseStored = (message) => new InteropError("INTERNAL", `what the store holds is broken: ${message}`);

const given = (object, names) => givenMembers(object, names, refuseMember);
/** The same of what a store holds; `undefined` where it holds nothing. */
const stored = (object, names) => (object === undefined ? undefined : givenMembers(object, names, refuseStored));

/** A record with its response named by its digest alone: no rule looks further. */
const recordOf = (record) => {
  const text = stored(record, RUN);
  if (text === undefined) return undefined;
  const response = record?.response === null ? "null" : stored(record, ["responseDigest"]);
  return `{"run":${text},"response":${response}}`;
};

/** Whether a run may begin. Throws `IDEMPOTENCY_KEY_REUSED` for another request's key. */
export const mayReserve = (record, reservation) => {
  const known = recordOf(record);
  const wanted = given(reservation, [...RUN, "logicalTimeMs"]);
  return enter((glue) => glue.mayReserve(known, wanted));
};

/** `"write"`, `"keep"` (it is written already) or `"refuse"`. */
export const whatToCommit = (record, commit) => {
  const known = recordOf(record);
  const run = given(commit, ["requestDigest", "reservationId", "responseDigest"]);
  return COMMITS[enter((glue) => glue.whatToCommit(known, run))];
};

/** Where a claim stands below `head`, the highest so far: `{ sequence, requestDigest }`, or nothing. */
export const placeOf = (head, claim) => {
  const highest = stored(head, ["sequence", "requestDigest"]);
  const text = given(claim, CLAIM);
  return PLACES[enter((glue) => glue.placeOf(highest, text))];
};

/** The number of an allocation, given the one that its key has already and the highest so far, if there are any. */
export const numberFor = (allocation, allocated, head) => {
  const known = stored({ allocated, head }, ["allocated", "head"]);
  const text = given(allocation, ALLOCATION);
  return enter((glue) => glue.numberFor(text, known));
};

/** The highest number so far of a session: 0 where there is none. Throws unless these are a client's id and a session's. */
export const highestOf = ({ issuerId, sessionId }, head) => {
  const allocation = { issuerId, sessionId, maximumSequence: Number.MAX_SAFE_INTEGER };
  const number = numberFor(allocation, head, head);
  return head === undefined ? 0 : number;
};

/** The number of a place in its text; -1 for another text. */
export const placeNumber = (place) => PLACES.indexOf(place);
