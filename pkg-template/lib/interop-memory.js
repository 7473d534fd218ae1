// Stores in memory, bounded: for tests, and for routers that say that their exchanges need not outlive the page. They
// refuse what is past the bound, before anything ran, and never make room by forgetting. Public through `interop-api.js`.

import { givenText } from "./given.js";
import { InteropError, refuseMember, refuseOption } from "./interop-errors.js";
import { highestOf, mayReserve, numberFor, placeOf, whatToCommit } from "./interop-rules.js";

const ENTRIES = 100_000;
const UNITS = 134_217_728;
/** What a record takes besides its texts of free length. */
const RECORD_UNITS = 256;

const bound = (value, otherwise, name) => {
  if (value === undefined) return otherwise;
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw refuseOption(`expected \`${name}\` to be a positive integer`);
};

const full = () => new InteropError("STORE_FULL", "expected room in the store: it holds as much as it may");

/** A map of at most so many entries. */
class Bounded {
  #entries = new Map();
  #max;

  constructor(max) {
    this.#max = bound(max, ENTRIES, "maximumEntries");
  }

  get(key) {
    return this.#entries.get(key);
  }

  makeSureOfRoom(key) {
    if (this.#entries.size >= this.#max && !this.#entries.has(key)) throw full();
  }

  set(key, value) {
    this.makeSureOfRoom(key);
    this.#entries.set(key, value);
  }
}

export class InMemoryInteropIdempotencyStore {
  #records;
  #units = 0;
  #maxUnits;

  constructor({ maximumEntries, maximumBytes } = {}) {
    this.#records = new Bounded(maximumEntries);
    this.#maxUnits = bound(maximumBytes, UNITS, "maximumBytes");
  }

  #put(key, record) {
    const size = (each) => (each ? RECORD_UNITS + key.length + (each.response?.length ?? 0) : 0);
    const old = this.#records.get(key);
    this.#records.set(key, record);
    this.#units += size(record) - size(old);
  }

  load(idempotencyKey) {
    return this.#records.get(idempotencyKey) ?? null;
  }

  reserve(reservation) {
    const { idempotencyKey, requestDigest, reservationId, reservedUntilLogicalMs } = reservation;
    if (!mayReserve(this.#records.get(idempotencyKey), reservation)) return false;
    // What runs already is kept all the same, as its effect has happened; no more begins.
    if (this.#units >= this.#maxUnits) throw full();
    this.#put(idempotencyKey, Object.freeze({ requestDigest, reservationId, reservedUntilLogicalMs, response: null }));
    return true;
  }

  commit(commit) {
    const stored = this.#records.get(commit.idempotencyKey);
    const act = whatToCommit(stored, commit);
    if (act === "write") {
      const { response, responseDigest } = commit;
      this.#put(commit.idempotencyKey, Object.freeze({ ...stored, response, responseDigest }));
    }
    return act !== "refuse";
  }
}

/** Identifiers have no spaces. */
const keyOf = (object, names) => names.map((name) => givenText(object[name], `\`${name}\``, refuseMember)).join(" ");
const scopeOf = (object) => keyOf(object, ["issuerId", "sessionId"]);

export class InMemoryInteropSequenceStore {
  #heads;

  constructor({ maximumEntries } = {}) {
    this.#heads = new Bounded(maximumEntries);
  }

  admit(claim) {
    const key = keyOf(claim, ["issuerId", "sessionId", "operation"]);
    const place = placeOf(this.#heads.get(key), claim);
    if (place === "advanced") {
      this.#heads.set(key, { sequence: claim.sequence, requestDigest: claim.requestDigest });
    }
    return place;
  }
}

export class InMemoryInteropOutboundSequenceStore {
  #heads;
  #allocated;

  constructor({ maximumEntries } = {}) {
    this.#heads = new Bounded(maximumEntries);
    this.#allocated = new Bounded(maximumEntries);
  }

  next(allocation) {
    const scope = scopeOf(allocation);
    const key = allocation.idempotencyKey === undefined ? undefined : keyOf(allocation, ["issuerId", "sessionId", "idempotencyKey"]);
    const known = key === undefined ? undefined : this.#allocated.get(key);
    const number = numberFor(allocation, known, this.#heads.get(scope));
    if (known === undefined) {
      // Both or neither.
      this.#heads.makeSureOfRoom(scope);
      if (key !== undefined) this.#allocated.set(key, number);
      this.#heads.set(scope, number);
    }
    return number;
  }

  current(scope) {
    return highestOf(scope, this.#heads.get(scopeOf(scope)));
  }
}
