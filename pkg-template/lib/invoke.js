// A call on its way into the core: what its caller sent is read once, and its ids cross. Rules live in the core.

import { CALL_GENERATION } from "./codes.js";
import { Entry } from "./context.js";
import { must } from "./errors.js";
import { checkedCopy, JsonFault } from "./json.js";
import { poisonedError, trapped } from "./realm.js";
import { isFunction } from "./thenable.js";

const NO_UNICODE = "\u0000";

/** A text token of a call. One that is no Unicode names nothing, and is the same as no other one. */
const token = (value, name) => {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new TypeError(`\`${name}\` must be a string`);
  return value.isWellFormed() ? value : NO_UNICODE + JSON.stringify(value);
};

const refuseInput = (entry, path, pointer, message) => {
  entry.kind = 2;
  entry.text = JSON.stringify([{ path, pointer, message }]).toWellFormed();
};

const readInput = ({ limits }, entry, input) => {
  const { maxInputBytes: maxBytes, maxValueDepth: maxDepth } = limits;
  try {
    const { copy, text } = checkedCopy(input, { maxBytes, maxDepth });
    if (text.length > maxBytes) throw new JsonFault([], `must not be larger than ${maxBytes} bytes as JSON`);
    entry.copy = copy;
    if (text === "{}") {
      entry.kind = 3;
    } else {
      entry.kind = 1;
      entry.text = text;
    }
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    refuseInput(entry, fault.path, fault.pointer, fault.message);
  }
};

/** A call to be: what its caller sent is read. */
export const readCall = (host, capabilityId, consumer, input, isDirect) => {
  const entry = new Entry(capabilityId, consumer, isDirect);
  if (input !== undefined) readInput(host, entry, input);
  if (!host.wasm) throw poisonedError();
  return entry;
};

/** The call runs as far as it can now. `slot` is the core's, negative for the join of a call that is there already. */
export const runCall = (host, entry, slot, invocationId, signal) => {
  if (slot < 0) return host.entries[-1 - slot];
  const { wasm } = host;
  entry.slot = slot;
  entry.invocationId = invocationId ?? `inv_${host.mark}_${wasm.invoked()}`;
  host.entries[slot] = entry;
  if (signal) entry.listen(host, signal, wasm.number(CALL_GENERATION, slot));
  const outer = host.running;
  host.running = entry;
  wasm.go();
  if (host.running !== entry) entry.tickWith(host.tick);
  host.running = outer;
  return entry;
};

/** Capabilities whose routes are kept, for each registry: an agent may call by any number of ids that there are not. */
const MOST_ROUTES = 256;

/** The number by which the core knows who calls what: ids cross once, not with each call. */
const routeOf = ({ wasm, routes }, capabilityId, { kind, id }) => {
  let route = routes.get(capabilityId);
  if (route !== undefined && route.id === id && route.kind === kind) return route.number;
  if (route === undefined) {
    if (routes.size >= MOST_ROUTES) routes.clear();
    route = { number: routes.size, kind, id };
    routes.set(capabilityId, route);
  }
  route.kind = kind;
  route.id = id;
  const isId = capabilityId.length <= 256 && capabilityId.isWellFormed();
  wasm.route(route.number, isId ? capabilityId : "", kind, id);
  return route.number;
};

/** Invokes for a consumer, through a toolset when its number is not negative. `kindOf` says what the input is instead. */
export const invokeAs = (host, toolset, request, consumer, options, isDirect = false, kindOf = undefined) => {
  must(typeof request === "object" && request !== null, "`invoke` expects a request object");
  const { capabilityId, input } = request;
  const signal = options?.signal ?? undefined;
  const timeoutMs = options?.timeoutMs;
  must(typeof capabilityId === "string", "`capabilityId` must be a string");
  const isTime = timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs < 2 ** 31);
  must(isTime, "`timeoutMs` must be a whole number of milliseconds below 2^31");
  must(signal === undefined || isFunction(signal.addEventListener), "`signal` must be an AbortSignal");
  const isAborted = signal?.aborted === true;
  const invocationId = token(request.invocationId, "invocationId");
  const instanceId = token(request.instanceId, "instanceId");
  const registrationId = token(request.registrationId, "registrationId");
  const surfaceVersion = token(request.surfaceVersion, "surfaceVersion");
  const confirmationId = token(request.confirmationId, "confirmationId");
  const entry = readCall(host, capabilityId, consumer, input, isDirect);
  entry.confirmationId = confirmationId;
  if (invocationId?.[0] === NO_UNICODE) refuseInput(entry, "invocationId", "/invocationId", "must be well-formed Unicode");
  try {
    const slot = host.wasm.invoke(
      routeOf(host, capabilityId, consumer),
      toolset,
      kindOf ? kindOf(entry) : entry.kind,
      entry.text,
      timeoutMs ?? -1,
      isAborted,
      instanceId,
      registrationId,
      surfaceVersion,
      invocationId,
      confirmationId,
    );
    return runCall(host, entry, slot, invocationId, isAborted ? undefined : signal);
  } catch (error) {
    throw trapped(error);
  }
};
