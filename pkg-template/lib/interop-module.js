// The protocol's module: loaded once, and entered through its door. Called by the other `interop-*.js`.

import { glue } from "#interop-glue";
import { createApart, createDoor } from "./apart.js";
import { fromModule } from "./interop-errors.js";

const interop = /* @__PURE__ */ createApart(glue, "initInterop", "interop", "agent_surface_interop.wasm");
const door = /* @__PURE__ */ createDoor(interop, "The interop module", fromModule);

export const createInitInterop = (defaultSource) => interop.init(defaultSource);

/** Runs a call into the module. */
export const enter = (call) => door.enter(call);

/** Frees what the module keeps for one request. */
export const release = (object) => door.release(object);
