// What the durable stores of `/interop` promise, in types.

import { openIndexedDbInteropStores } from "agent-surface-wasm/interop";
import type { IndexedDbInteropStores, InteropDurableStores, InteropIdempotencyStore } from "agent-surface-wasm/interop";
import { expectation, expectTypeOf } from "./expect.mjs";

const stores = await openIndexedDbInteropStores({ name: "mine", durability: "relaxed", exclusive: true });
expectTypeOf(stores, expectation<IndexedDbInteropStores>());
expectTypeOf(stores.prune({ logicalTimeMs: 5, reservations: true }), expectation<Promise<number>>());
stores.close();
// @ts-expect-error -- there are two kinds of durability
void openIndexedDbInteropStores({ durability: "eventual" });
// @ts-expect-error -- what is forgotten is said
void stores.prune();

// They are what a router takes, and what clients number with.
const durable: InteropDurableStores = stores;
void durable;
expectTypeOf(stores.outbound.current({ issuerId: "i", sessionId: "s" }), expectation<number | PromiseLike<number>>());

// A store of one's own needs no `release`.
const own: InteropIdempotencyStore = { load: () => null, reserve: () => true, commit: async () => true };
void own;
