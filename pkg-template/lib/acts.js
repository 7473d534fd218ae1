// What the core asks the facade and has it do, by the numbers that the boundary's `Act` gives: which function of the host
// that is. Holds no rule.

import { isFunction } from "./thenable.js";

// In the order of the boundary's `Act`; a unit test compares the two.
export const HANDLER = 0;
export const DONE = 1;
export const FAILED = 2;
export const SCHEDULE = 3;
export const FORGET = 4;
export const ARM = 5;
export const DISARM = 6;
export const WHEN = 7;
export const REASON = 8;
export const NOTE = 9;
export const ROUTE = 10;
export const DISCOVERY = 11;
export const KEY = 12;
export const GUARD = 13;
export const RUN_POLICY = 14;
export const RESUME_NEXT = 15;
export const INTERIM = 16;
export const CHECK = 17;
export const CHECK_OUTPUT = 18;
export const BIND = 19;
export const EFFECTIVE = 20;
export const PRECONDITION = 21;
export const ABORT = 22;
export const EVENT = 23;
export const AUDIT = 24;
export const WAITS = 25;
export const CONFIRMATION_RESOLVED = 26;
export const REFRESH = 27;
export const UNMOUNTED = 28;
export const FORGET_REGISTRATION = 29;
export const FORGET_SPEC = 30;
export const EXPOSE = 31;
export const OFFER = 32;
export const WITHDRAW = 33;
export const FORGET_COMPONENT = 34;
export const WARN = 35;

/** A version or time comes as two halves. */
const whole = (high, low) => high * 2 ** 32 + (low >>> 0);

/** That a person approved: by the id that the caller named, or else the one that was said. */
const evidenceOf = ({ confirmationId }, at, said) => ({ id: confirmationId ?? said, approvedAt: new Date(at).toISOString() });

/**
 * What is about a capability names it by `slot` and `at`; the other numbers are what each case says. Answers to questions are
 * numbers.
 */
export const act = (host, what, call, generation, slot, at, x, y) => {
  // By far the most frequent: at each look, of each capability that has one.
  if (what === WHEN) return host.when(slot, at);
  const { said } = host;
  switch (what) {
    case HANDLER:
      return host.callHandler(call, generation, slot, at, x && evidenceOf(host.entries[call], whole(x - 1, y), said));
    case DONE:
      return host.succeeded(call, whole(slot, at), x, y ? said : undefined);
    case FAILED:
      return host.failed(call, whole(slot, at), x, said);
    case SCHEDULE:
      return host.schedule();
    case FORGET:
      host.entries[call] = undefined;
      return 0;
    case ARM:
      return host.arm(call, generation, x);
    case DISARM:
      return host.disarm(call);
    case REASON:
      return host.ask(() => host.registrations[slot].members[at].functions.unavailableReason());
    case NOTE:
      return host.ask(() => host.registrations[slot].members[at].functions.describe());
    case ROUTE:
      return host.ask(() => (isFunction(host.routeOption) ? host.routeOption() : host.routeOption));
    case DISCOVERY:
      return host.voteOf(call, slot, at, x);
    case KEY:
      return host.key(call, slot, at);
    case GUARD:
      return host.guard(call, y, x, slot, at);
    case RUN_POLICY:
      return host.runPolicy(call, generation, y & 1, y >> 1, x, slot, at);
    case RESUME_NEXT:
      return host.resumeNext(call, x);
    case INTERIM:
      return host.interim(call, said);
    case CHECK:
      return host.check(call, generation, slot, at, x ? said : undefined);
    case CHECK_OUTPUT:
      return host.checkOutput(call, generation, slot, at);
    case BIND:
      return host.bind(call, slot, at);
    case EFFECTIVE:
      return host.entries[call].replaceInput(said);
    case PRECONDITION:
      return host.precondition(call, generation, slot, at);
    case ABORT:
      return host.entries[call]?.abort();
    case EVENT:
      return host.event(said);
    case AUDIT:
      return host.audit(said, call);
    // Whether somebody waits for a decision: else no id crosses.
    case WAITS:
      return +(host.waiters.size > 0);
    case CONFIRMATION_RESOLVED:
      return host.confirmationResolved(host.saidBefore, said);
    case REFRESH:
      return host.refresh(call);
    case UNMOUNTED:
      return host.registrations[call]?.unmount();
    case FORGET_REGISTRATION:
      host.registrations[call] = undefined;
      return 0;
    case FORGET_SPEC:
      host.specIds.delete(host.specs[call].key);
      host.specs[call] = undefined;
      return 0;
    case EXPOSE:
      return host.toolsets.get(x)?.expose(slot, at) ?? 2;
    case OFFER:
      return host.toolsets.get(call)?.offer(x, generation);
    case WITHDRAW:
      return host.toolsets.get(call)?.withdraw(x, generation);
    case FORGET_COMPONENT:
      host.policyTable.drop(host.components[call].used);
      host.components[call] = undefined;
      return 0;
    case WARN:
    default:
      return x ? host.warn(said) : host.develop(said);
  }
};
