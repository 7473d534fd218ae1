// What the core asks the facade and has it do, by the numbers that the boundary's `Act` gives: which function of the host
// that is. Holds no rule.

/** A version or time comes as two halves. */
const whole = (high, low) => high * 2 ** 32 + (low >>> 0);

/** That a person approved: by the id that the caller named, or else the one that was said. */
const evidenceOf = ({ confirmationId }, at, said) => ({ id: confirmationId ?? said, approvedAt: new Date(at).toISOString() });

/**
 * What is about a capability names it by `slot` and `at`; the other numbers are what each case says. Answers to questions are
 * numbers.
 */
export const act = (host, what, call, generation, slot, at, x, y) => {
  const { said } = host;
  switch (what) {
    case 0:
      return host.callHandler(call, generation, slot, at, x && evidenceOf(host.entries[call], whole(x - 1, y), said));
    case 1:
      return host.done(call, whole(slot, at), x, y ? said : undefined);
    case 2:
      return host.failed(call, whole(slot, at), x, said);
    case 3:
      return host.schedule();
    case 4:
      host.entries[call] = undefined;
      return 0;
    case 5:
      return host.arm(call, generation, x);
    case 6:
      return host.disarm(call);
    case 7:
      return host.when(slot, at);
    case 8:
      return host.ask(() => host.registrations[slot].members[at].functions.unavailableReason());
    case 9:
      return host.ask(() => host.registrations[slot].members[at].functions.describe());
    case 10:
      return host.ask(() => (typeof host.routeOption === "function" ? host.routeOption() : host.routeOption));
    case 11:
      return host.discovery(call, slot, at, x);
    case 12:
      return host.key(call, slot, at);
    case 13:
      return host.guard(call, y, x, slot, at);
    case 14:
      return host.runPolicy(call, generation, y & 1, y >> 1, x, slot, at);
    case 15:
      return host.resumeNext(call, x);
    case 16:
      return host.interim(call, said);
    case 17:
      return host.check(call, generation, slot, at, x ? said : undefined);
    case 18:
      return host.checkOutput(call, generation, slot, at);
    case 19:
      return host.bind(call, slot, at);
    case 20:
      return host.entries[call].replaceInput(said);
    case 21:
      return host.precondition(call, generation, slot, at);
    case 22:
      return host.entries[call]?.abort();
    case 23:
      return host.event(said);
    case 24:
      return host.audit(said, call);
    // Whether somebody waits for a decision: else no id crosses.
    case 25:
      return +(host.waiters.size > 0);
    case 26:
      return host.confirmationResolved(host.saidBefore, said);
    case 27:
      return host.refresh(call);
    case 28:
      return host.registrations[call]?.unmount();
    case 29:
      host.registrations[call] = undefined;
      return 0;
    case 30:
      host.specIds.delete(host.specs[call].key);
      host.specs[call] = undefined;
      return 0;
    case 31:
      return host.toolsets.get(x)?.expose(slot, at) ?? 2;
    case 32:
      return host.toolsets.get(call)?.offer(x, generation);
    case 33:
      return host.toolsets.get(call)?.withdraw(x, generation);
    case 34:
      host.policyTable.drop(host.components[call].used);
      host.components[call] = undefined;
      return 0;
    default:
      return host.develop(said);
  }
};
