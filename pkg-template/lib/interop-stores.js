// The durable stores of `/interop`, on IndexedDB: what was reserved, committed, claimed and numbered outlives the page and
// is one for all tabs. Each method is one transaction, which the browser runs alone and keeps whole or not at all, so that
// of two tabs one comes first. Whether a run that outlives its lease still lives, Web Locks know. What may be written the
// rules of the module say (`interop-rules.js`); what there is room for is said here, before anything ran. Nothing is forgotten
// but what `prune` and `forgetSession` are told to forget.

import { ALLOCATED, BY_STATE, NUMBERS, openDatabase, RECORDS, ROOMS, SEQUENCES } from "./interop-database.js";
import { InteropError, refuseOption } from "./interop-errors.js";

/** The key under which a store keeps how much it holds: no key of its entries is a number. */
const USAGE = 0;
/** Of a record besides its key and its response, in UTF-16 units. */
const RECORD_UNITS = 256;
/** Records that one transaction forgets. */
const BATCH = 500;
/** Of a room besides its response: what a browser writes around what it keeps, also past its quota. What is smaller it does not free at once. */
const SPARE_BYTES = 262_144;
/** What `getRandomValues` takes at once. */
const RANDOM_BYTES = 65_536;
const MAX_KEY_UNITS = 256;
/** Comes after every text in a key of several parts. */
const LAST = [];

const COMMITTED = "committed";
const RESERVED = "reserved";

/** Takes the lock of this name; resolves to what lets go of it, or to nothing where somebody has it. */
const lock = (name) =>
  new Promise((resolve, reject) => {
    const failed = (cause) => reject(new InteropError("STORE_FAILED", "expected Web Locks to say whether a run still lives", { cause }));
    const held = (granted) => {
      if (granted === null) return resolve(undefined);
      return new Promise((letGo) => {
        resolve(() => {
          letGo();
          return released;
        });
      });
    };
    // Of a lock that another program stole there is nothing left to let go.
    const released = navigator.locks.request(name, { ifAvailable: true }, held).catch(failed);
  });

const full = () => new InteropError("STORE_FULL", "expected room in the store: it holds as much as it may");

const checkText = (value, label, most = Infinity) => {
  if (typeof value === "string" && value.length <= most) return;
  throw new InteropError("INVALID_MEMBER", `${label} is invalid`, { type: "TypeError", status: 400 });
};

const utf8Length = (text, limit) => (text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).length);

const unitsOf = (key, response) => RECORD_UNITS + key.length + (response?.length ?? 0);

/** What no browser can press together. */
const filling = (size) => {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += RANDOM_BYTES) crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES));
  return bytes;
};

/**
 * Keeps room for as many responses of this size, as entries that a commit gives away where the disk is full. (What a browser
 * says of its quota is no promise: Chromium names a fixed sum.)
 */
function* keepRooms(rooms, responses, response) {
  // A text with one wide character is kept with two bytes for each.
  const size = 2 * response + SPARE_BYTES;
  const kept = yield rooms.count(IDBKeyRange.lowerBound([size]));
  for (let more = kept; more < responses; more += 1) {
    yield rooms.put(filling(size), [size, ...crypto.getRandomValues(new Uint32Array(2))]);
  }
}

/** Gives one away; says whether there was one. It writes nothing, which a full disk would refuse. */
function* giveRoom(rooms) {
  const room = yield rooms.openKeyCursor(null, "prev");
  if (room) yield rooms.delete(room.key);
  return room !== null;
}

/** How much the records are. What a full disk could not keep of that is counted anew. */
function* usageOf(records) {
  const kept = yield records.get(USAGE);
  if (kept !== undefined) return kept;
  const usage = { count: 0, units: 0 };
  const request = records.openCursor();
  for (let cursor = yield request; cursor; cursor = yield request) {
    usage.count += 1;
    usage.units += unitsOf(cursor.key, cursor.value?.response);
    cursor.continue();
  }
  return usage;
}

/** How a connection keeps what became of requests. */
class Idempotency {
  #database;
  #limits;
  #rules;
  /** What lets go of the locks of exclusive runs, by their reservations. */
  #locks = new Map();

  constructor(database, limits, rules) {
    this.#database = database;
    this.#limits = limits;
    this.#rules = rules;
  }

  async load(idempotencyKey) {
    checkText(idempotencyKey, "idempotencyKey", MAX_KEY_UNITS);
    const record = await this.#database.run([RECORDS], "readonly", function* (records) {
      return yield records.get(idempotencyKey);
    }, true);
    return record ?? null;
  }

  async reserve({ idempotencyKey, requestDigest, reservationId, logicalTimeMs, reservedUntilLogicalMs }) {
    const wanted = { idempotencyKey, requestDigest, reservationId, logicalTimeMs, reservedUntilLogicalMs };
    checkText(idempotencyKey, "idempotencyKey", MAX_KEY_UNITS);
    this.#rules.mayReserve(undefined, wanted); // So that nothing that is wrong with it is found in a transaction.
    const unlock = await this.#lock(idempotencyKey);
    let isReserved = false;
    // From before it may begin: there is no moment in which the database could go.
    this.#database.hold(reservationId);
    try {
      isReserved = await this.#reserve(wanted, unlock !== undefined);
    } finally {
      if (!isReserved) this.#database.letGo(reservationId);
      if (isReserved && this.#limits.exclusive) this.#locks.set(reservationId, unlock);
      else await unlock?.();
    }
    return isReserved;
  }

  /** What ends the exclusive run that may begin; nothing while another one lives. */
  #lock(idempotencyKey) {
    const { name, exclusive } = this.#limits;
    return exclusive ? lock(`${name}/${idempotencyKey}`) : () => {};
  }

  async #reserve(wanted, isFree) {
    const { mayReserve } = this.#rules;
    const { maximumEntries, maximumBytes, maximumResponseBytes } = this.#limits;
    const { idempotencyKey, requestDigest, reservationId, logicalTimeMs, reservedUntilLogicalMs } = wanted;
    return this.#database.run([RECORDS, ROOMS], "readwrite", function* (records, rooms) {
      const stored = yield records.get(idempotencyKey);
      if (!mayReserve(stored, wanted) || !isFree) return false;
      const { count, units } = yield* usageOf(records);
      if (units >= maximumBytes || (stored === undefined && count >= maximumEntries)) throw full();
      if (stored === undefined) yield records.put({ count: count + 1, units: units + unitsOf(idempotencyKey) }, USAGE);
      const running = IDBKeyRange.bound([RESERVED, logicalTimeMs], [RESERVED, LAST]);
      yield* keepRooms(rooms, (yield records.index(BY_STATE).count(running)) + 1, maximumResponseBytes);
      yield records.put({ state: RESERVED, requestDigest, reservationId, reservedUntilLogicalMs, response: null }, idempotencyKey);
      return true;
    });
  }

  async commit({ idempotencyKey, requestDigest, reservationId, responseDigest, response }) {
    const run = { idempotencyKey, requestDigest, reservationId, responseDigest, response };
    checkText(idempotencyKey, "idempotencyKey", MAX_KEY_UNITS);
    checkText(response, "response");
    const { whatToCommit } = this.#rules;
    whatToCommit(undefined, run);
    const { maximumResponseBytes } = this.#limits;
    if (utf8Length(response, maximumResponseBytes) > maximumResponseBytes) {
      throw new InteropError("RESPONSE_TOO_LARGE", `expected a response of at most ${maximumResponseBytes} bytes, for which these stores were opened`);
    }
    const isCommitted = await this.#withRoom([RECORDS], "readwrite", function* (records) {
      const stored = yield records.get(idempotencyKey);
      const decision = whatToCommit(stored, run);
      if (decision !== "write") return decision === "keep";
      // A run that began is kept, whatever there is by now: its effect has happened.
      const { count, units } = yield* usageOf(records);
      yield records.put({ count, units: units + response.length }, USAGE);
      yield records.put({ ...stored, state: COMMITTED, response, responseDigest }, idempotencyKey);
      return true;
    }, true);
    await this.release({ reservationId });
    return isCommitted;
  }

  /** The run is over, with a response or without one. */
  async release({ reservationId }) {
    this.#database.letGo(reservationId);
    const unlock = this.#locks.get(reservationId);
    this.#locks.delete(reservationId);
    await unlock?.();
  }

  releaseAll() {
    for (const unlock of this.#locks.values()) unlock();
    this.#locks.clear();
  }

  /** A transaction that gets a second try, with the room of a run, where the disk is full. */
  async #withRoom(...transaction) {
    try {
      return await this.#database.run(...transaction);
    } catch (error) {
      // In a transaction of its own: only what is kept makes room.
      if (error.code !== "STORE_QUOTA" || !(await this.#database.run([ROOMS], "readwrite", giveRoom, true))) throw error;
      return this.#database.run(...transaction);
    }
  }

  /** Forgets at most a batch of the records in this state whose reservations end before then; says how many. */
  async forget(state, before) {
    try {
      return await this.#forget(state, before, true);
    } catch (error) {
      if (error.code !== "STORE_QUOTA") throw error;
      // Where the disk is full this is what makes room, so it must not need any.
      return this.#forget(state, before, false);
    }
  }

  #forget(state, before, counts) {
    return this.#database.run([RECORDS], "readwrite", function* (records) {
      let { count, units } = counts ? yield* usageOf(records) : {};
      const range = IDBKeyRange.bound([state], [state, before], false, true);
      const request = records.index(BY_STATE).openCursor(range);
      let forgotten = 0;
      for (let cursor = yield request; cursor; cursor = yield request) {
        forgotten += 1;
        units -= unitsOf(cursor.primaryKey, cursor.value.response);
        cursor.delete();
        if (forgotten === BATCH) break;
        cursor.continue();
      }
      if (forgotten === 0) return 0;
      yield counts ? records.put({ count: count - forgotten, units }, USAGE) : records.delete(USAGE);
      return forgotten;
    });
  }
}

/** Writes an entry under a new key, unless the store holds as many as it may. */
function* add(store, key, value, maximum) {
  const count = (yield store.get(USAGE)) ?? (yield store.count());
  if (count >= maximum) throw full();
  yield store.put(count + 1, USAGE);
  yield store.put(value, key);
}

/** Removes the entries whose keys begin with these two parts. */
function* removeSession(store, issuerId, sessionId) {
  const range = IDBKeyRange.bound([issuerId, sessionId], [issuerId, sessionId, LAST]);
  yield store.delete(range);
  // Whoever adds next counts anew: a full disk, where this makes room, would refuse to keep a number.
  yield store.delete(USAGE);
}

const admitWith = (database, { maximumEntries }, { placeOf }) =>
  async function admit({ issuerId, sessionId, operation, sequence, requestDigest }) {
    const claim = { issuerId, sessionId, operation, sequence, requestDigest };
    placeOf(undefined, claim);
    const key = [issuerId, sessionId, operation];
    return database.run([SEQUENCES], "readwrite", function* (sequences) {
      const head = yield sequences.get(key);
      const place = placeOf(head, claim);
      if (place !== "advanced") return place;
      if (head === undefined) yield* add(sequences, key, { sequence, requestDigest }, maximumEntries);
      else yield sequences.put({ sequence, requestDigest }, key);
      return place;
    });
  };

const nextWith = (database, { maximumEntries }, { numberFor }) =>
  async function next({ issuerId, sessionId, maximumSequence, idempotencyKey }) {
    const allocation = { issuerId, sessionId, maximumSequence, idempotencyKey };
    numberFor(allocation, undefined, undefined);
    const scope = [issuerId, sessionId];
    const hasKey = idempotencyKey !== undefined;
    return database.run([NUMBERS, ALLOCATED], "readwrite", function* (numbers, allocated) {
      const known = hasKey ? yield allocated.get([...scope, idempotencyKey]) : undefined;
      const head = yield numbers.get(scope);
      const number = numberFor(allocation, known, head);
      if (known !== undefined) return number;
      if (hasKey) yield* add(allocated, [...scope, idempotencyKey], number, maximumEntries);
      if (head === undefined) yield* add(numbers, scope, number, maximumEntries);
      else yield numbers.put(number, scope);
      return number;
    });
  };

const currentWith = (database, { highestOf }) =>
  async function current({ issuerId, sessionId }) {
    highestOf({ issuerId, sessionId }, undefined);
    return database.run([NUMBERS], "readonly", function* (numbers) {
      return highestOf({ issuerId, sessionId }, yield numbers.get([issuerId, sessionId]));
    });
  };

const DEFAULTS = {
  name: "agent-surface-interop",
  maximumResponseBytes: 1_048_576,
  maximumEntries: 100_000,
  maximumBytes: 134_217_728,
  durability: "strict",
  exclusive: false,
  openTimeoutMs: 10_000,
};
const MOST = {
  maximumResponseBytes: 67_108_864,
  maximumEntries: Number.MAX_SAFE_INTEGER,
  maximumBytes: Number.MAX_SAFE_INTEGER,
  openTimeoutMs: 2_147_483_647,
};

const checkedOptions = (given) => {
  const options = { ...DEFAULTS };
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(DEFAULTS, key)) throw refuseOption(`\`${key}\` is no option of these stores; they take ${Object.keys(DEFAULTS).join(", ")}`);
    if (given[key] !== undefined) options[key] = given[key];
  }
  if (typeof options.name !== "string" || options.name === "") throw refuseOption("expected `name` to be the name of a database");
  if (!["strict", "relaxed"].includes(options.durability)) throw refuseOption('expected `durability` to be "strict" or "relaxed"');
  if (typeof options.exclusive !== "boolean") throw refuseOption("expected `exclusive` to be true or false");
  for (const [key, most] of Object.entries(MOST)) {
    if (!Number.isSafeInteger(options[key]) || options[key] < 1 || options[key] > most) {
      throw refuseOption(`expected \`${key}\` to be a whole number from 1 to ${most}`);
    }
  }
  return options;
};

/** `rules` are those of `interop-rules.js`, which this file cannot import: it is loaded beside the module that has them. */
export const openStores = async (given, rules) => {
  const options = checkedOptions(given);
  if (options.exclusive && !globalThis.navigator?.locks) throw new InteropError("STORE_UNAVAILABLE", "expected Web Locks, which `exclusive` needs and which are not here");
  const database = await openDatabase(options.name, options);
  const idempotency = new Idempotency(database, options, rules);
  const close = () => {
    database.close();
    idempotency.releaseAll();
  };
  return Object.freeze({
    idempotency: Object.freeze({
      load: (key) => idempotency.load(key),
      reserve: (reservation) => idempotency.reserve(reservation),
      commit: (commit) => idempotency.commit(commit),
      release: (run) => idempotency.release(run),
    }),
    sequences: Object.freeze({ admit: admitWith(database, options, rules) }),
    outbound: Object.freeze({ next: nextWith(database, options, rules), current: currentWith(database, rules) }),
    maximumResponseBytes: options.maximumResponseBytes,
    async prune({ logicalTimeMs, reservations = false }) {
      if (!Number.isSafeInteger(logicalTimeMs) || logicalTimeMs < 0) {
        throw new InteropError("MEMBER_OUT_OF_RANGE", "logicalTimeMs is invalid", { type: "RangeError", status: 400 });
      }
      let forgotten = 0;
      for (const state of reservations ? [COMMITTED, RESERVED] : [COMMITTED]) {
        for (let last = BATCH; last === BATCH; forgotten += last) last = await idempotency.forget(state, logicalTimeMs);
      }
      return forgotten;
    },
    async forgetSession({ issuerId, sessionId }) {
      rules.highestOf({ issuerId, sessionId }, undefined);
      await database.run([SEQUENCES, NUMBERS, ALLOCATED], "readwrite", function* (...stores) {
        for (const store of stores) yield* removeSession(store, issuerId, sessionId);
      });
    },
    close,
    ...(Symbol.dispose && { [Symbol.dispose]: close }),
  });
};
