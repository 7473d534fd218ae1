/** The full schema engine. The entry `agent-surface-wasm/schema`. */

import type { InitOptions } from "./init.js";

/** Where the engine's module comes from, at most one, and the documents that schemas may refer to. */
export interface SchemaEngineOptions extends InitOptions {
  /**
   * JSON Schemas under their absolute URIs: what a `$ref` may name outside its own document. Nothing is ever fetched. A
   * later call may bring more.
   */
  readonly documents?: { readonly [uri: string]: object | boolean };
}

/**
 * Loads the full engine, once per page (about 521 kB, brotli). From then on `fromJsonSchema` takes schemas outside the
 * built-in subset: all of draft 2020-12 (`oneOf`, `allOf`, `not`, `if`, `patternProperties`, `prefixItems`,
 * `unevaluated*`, `dependent*`, `contains`, `$anchor`, `$dynamicRef`, …), drafts 4, 6, 7 and 2019-09 by `$schema`, and
 * references to `documents`. Schemas inside the subset stay with the built-in engine, which is smaller and faster.
 *
 * Call it before the components register that need it, in any order with `init()`. May be called any number of times, at
 * once too; after a failure, call it again. Rejects with an `AgentSurfaceRuntimeError` that says what to do
 * (`WASM_BLOCKED_BY_CSP`, `WASM_NOT_SERVED`), or with an `AgentSurfaceDefinitionError` for `documents` that are none.
 *
 * What to know about such schemas:
 * - Size and depth are bounded as in the subset. `pattern` is matched in linear time, `patternProperties` too.
 * - `format`: `date-time`, `date`, `uuid`, `email` and `uri` as in the subset; the engine's others are asserted, too, and
 *   unknown ones are annotations.
 * - `default` is filled through `properties`, `items` and local `$ref`, not inside `oneOf`, `allOf`, `if` and the like.
 * - Say `type: "object"` at the root: an absent input is `{}`, and fields can be bound, only where that says object.
 * - A procedure's locked fields leave `properties` and `required` of the root; do not name them in `oneOf` and the like,
 *   where agents would still see them. What agents send is checked once the bound fields are there.
 * - Work is bounded: a value whose check may take more than 1,000,000 evaluations of a schema at a place "is too complex
 *   to be checked". That is one where a schema reaches itself by two ways at one place (two `oneOf` branches that both
 *   recurse), as each level doubles them; a recursion of one way is not limited by depth.
 *   Above 10,000 evaluations such a value only gets a verdict, without the places of its issues.
 *
 * @example
 * import { init } from "agent-surface-wasm";
 * import { installSchemaEngine } from "agent-surface-wasm/schema";
 * await Promise.all([init(), installSchemaEngine()]);
 */
export declare function installSchemaEngine(options?: SchemaEngineOptions): Promise<void>;
