// What the page does to the stores of `/interop`; the tests judge what it answers. `I` is the entry.

import * as I from "/pkg/dist/interop.js";

await I.initInterop();

const digest = (digit) => `sha256:${digit.repeat(64)}`;
/** What a call answers, or the code of its error. */
const said = async (call) => {
  try {
    return await call();
  } catch (error) {
    return I.isInteropError(error) ? error.code : String(error);
  }
};
const eight = (call) => Promise.all(Array.from({ length: 8 }, (_, index) => said(() => call(index))));

const memory = () => ({
  idempotency: new I.InMemoryInteropIdempotencyStore(),
  sequences: new I.InMemoryInteropSequenceStore(),
  outbound: new I.InMemoryInteropOutboundSequenceStore(),
});
const open = (options) => I.openIndexedDbInteropStores(options);

const reservation = (idempotencyKey, request, id, logicalTimeMs) => ({
  idempotencyKey,
  requestDigest: digest(request),
  reservationId: id,
  logicalTimeMs,
  reservedUntilLogicalMs: logicalTimeMs + 30,
});
const commit = (idempotencyKey, request, id, response, text = `{"responseDigest":"${digest(response)}"}`) => ({
  idempotencyKey,
  requestDigest: digest(request),
  reservationId: id,
  responseDigest: digest(response),
  response: text,
});
const claim = (sequence, request, sessionId = "s", operation = "agent.step") => ({
  issuerId: "i",
  sessionId,
  operation,
  sequence,
  requestDigest: digest(request),
});
const allocation = (maximumSequence, idempotencyKey, sessionId = "s") => ({ issuerId: "i", sessionId, maximumSequence, idempotencyKey });

/** Every outcome of the contract, in one order. */
const contract = async ({ idempotency, sequences, outbound }) => {
  const reserve = (...parts) => said(() => idempotency.reserve(reservation(...parts)));
  const keep = (...parts) => said(() => idempotency.commit(commit(...parts)));
  const load = async (key) => {
    const record = await idempotency.load(key);
    return record && [record.requestDigest[7], record.reservationId, record.reservedUntilLogicalMs, record.response?.length ?? null];
  };
  const next = (...parts) => said(() => outbound.next(allocation(...parts)));
  const current = (sessionId) => said(() => outbound.current({ issuerId: "i", sessionId }));
  const admit = (...parts) => said(() => sequences.admit(claim(...parts)));
  return {
    reservations: [
      await load("k"),
      await reserve("k", "a", "r:1", 100),
      await load("k"),
      await reserve("k", "b", "r:2", 130),
      await reserve("k", "b", "r:2", 131),
      await reserve("k", "a", "r:2", 130),
      await reserve("k", "a", "r:2", 131),
      await load("k"),
      await reserve("other", "b", "r:3", 131),
    ],
    commits: [
      await keep("none", "a", "r:2", "c"),
      await keep("k", "b", "r:2", "c"),
      await keep("k", "a", "r:1", "c"),
      await load("k"),
      await keep("k", "a", "r:2", "c"),
      await load("k"),
      await keep("k", "a", "r:2", "c", "{}"),
      await keep("k", "a", "r:2", "d"),
      await load("k"),
      await reserve("k", "a", "r:9", 999),
      await reserve("k", "b", "r:9", 999),
    ],
    places: [
      await admit(3, "a"),
      await admit(3, "a"),
      await admit(3, "b"),
      await admit(2, "b"),
      await admit(2, "a"),
      await admit(9, "b"),
      await admit(3, "a"),
      await admit(1, "a", "s", "environment.act"),
      await admit(1, "a", "t"),
      await admit(9, "b"),
    ],
    numbers: [
      await current("s"),
      await next(9, "k"),
      await next(9),
      await next(9, "k"),
      await next(2, "l"),
      await current("s"),
      await next(3, "l"),
      await next(2, "l"),
      await next(9, "k", "t"),
      await current("s"),
      await current("u"),
    ],
    races: {
      reserves: (await eight((index) => idempotency.reserve(reservation("race", "a", `r:${index}`, 100)))).sort(),
      takeovers: (await eight((index) => idempotency.reserve(reservation("race", "a", `s:${index}`, 200)))).sort(),
      places: (await eight((index) => sequences.admit(claim(5, String(index), "race")))).sort(),
      numbers: (await eight(() => outbound.next(allocation(99, undefined, "race")))).sort(),
      numbersOfOneKey: await eight(() => outbound.next(allocation(99, "one", "race"))),
    },
    refused: [
      await said(() => idempotency.reserve({ ...reservation("x", "a", "r", 1), requestDigest: "sha256:A" })),
      await said(() => idempotency.reserve({ ...reservation("x", "a", "r", 1), reservationId: " " })),
      await said(() => sequences.admit(claim(1, "a", ""))),
      await said(() => outbound.next(allocation(9, undefined, " "))),
      await said(() => outbound.next(allocation(0))),
    ],
  };
};

/** A database that another program opened, or that pays no heed to others. */
const raw = (name, version, upgrade = () => {}) =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => upgrade(request.result);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
const remove = (name) =>
  new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve("deleted");
    request.onerror = () => reject(request.error);
  });

Object.assign(window, { I, said, eight, memory, open, contract, reservation, commit, claim, allocation, raw, remove, digest });
document.documentElement.dataset.ready = "";
