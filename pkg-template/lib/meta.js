// The three tools of meta mode. What they are is constant; a call of one is judged by its own schema, and then by the
// core. Takes envelopes apart and holds no rule.

import { freeze } from "./intrinsics.js";
import { checkedCopy, deepFreeze } from "./json.js";
import { matchesScope } from "./ids.js";
import { checkValue } from "./schema.js";
import { invokeAs } from "./invoke.js";
import { snapshot } from "./snapshot.js";
import { attempt } from "./thenable.js";

/** Kinds of input, as the core's `invoke` numbers them; the last one is added to another. */
const TEXT = 1;
const ENCODED = 4;
const REFUSED = 5;
const READS_ONLY = 8;

/** Names, descriptions, properties that there must be, and the others. */
const describe = () => {
  const text = { type: "string", minLength: 1 };
  const input = {};
  return [
    [
      "surface_discover",
      "[surface] List capabilities with their inputSchema; scope: prefixes of component types",
      {},
      // Each is held against every component.
      { scope: { type: "array", items: text, maxItems: 256 } },
    ],
    ["surface_read", "[surface · read] Run a listed observation or server-query", { capabilityId: text }, { instanceId: text, input }],
    [
      "surface_act",
      "[surface · act] Run a listed action or procedure with an input by its inputSchema. A person may have to approve it",
      { capabilityId: text, input },
      { instanceId: text, invocationId: text, confirmationId: text, surfaceVersion: text },
    ],
  ].map(([name, description, needed, more]) => ({
    name,
    description,
    inputSchema: deepFreeze({ type: "object", properties: { ...needed, ...more }, required: Object.keys(needed), additionalProperties: false }),
  }));
};

let described;

/** What an envelope says, when its schema takes it, or the issues. The input is the core's to judge. */
const open = (schema, given) => {
  const envelope = given ?? {};
  const { input } = envelope;
  try {
    const { value, issues } = checkValue(schema, input === undefined ? envelope : { ...envelope, input: null }, false);
    return { issues, request: { ...value, input } };
  } catch (error) {
    if (!error.issues) throw error;
    return error;
  }
};

/** A prefix of nothing goes along: without any, all would be shown. */
const discover = (host, consumer, { floor, budget }, scope = []) => {
  const prefixes = [];
  const taken = [""];
  for (const prefix of new Set(scope)) (matchesScope(prefix, floor) ? taken : prefixes).push(prefix);
  const found = snapshot(host, { consumer, scope: scope.length > 0 ? taken : floor, budget });
  return prefixes.length > 0 ? deepFreeze({ ...found, scopeRejected: { prefixes } }) : found;
};

/** `toolset.run` catches what a call throws. */
export const metaTools = (host, toolset, consumer, options, state) => {
  described ??= describe();
  const tools = described.map(({ name, description, inputSchema }, at) => {
    const execute = (given, callOptions) =>
      toolset.run(name, callOptions, ({ toolCallId: invocationId, confirmationId, signal }) => {
        const { request, issues } = open(JSON.stringify(inputSchema), given);
        if (at === 0 && !issues) {
          const output = discover(host, consumer, options, request.scope);
          const { surfaceVersion } = output;
          const result = { status: "ok", invocationId: invocationId ?? "", capabilityId: name, output, surfaceVersion };
          return Promise.resolve(freeze(result));
        }
        const kindOf = (entry) => {
          if (issues) {
            entry.text = JSON.stringify(issues).toWellFormed();
            return REFUSED;
          }
          const reads = at === 1 ? READS_ONLY : 0;
          const isText = entry.kind === TEXT && typeof request.input === "string";
          const object = isText && attempt(() => checkedCopy(JSON.parse(request.input)).text);
          if (object?.[0] !== "{") return entry.kind + reads;
          host.wasm.text(object);
          return ENCODED + reads;
        };
        const called = issues ? { capabilityId: name, invocationId } : { invocationId, confirmationId, ...request };
        return invokeAs(host, toolset.id, called, consumer, { signal }, false, kindOf).promise;
      });
    return { name, description, inputSchema, state, execute };
  });
  return freeze(tools);
};
