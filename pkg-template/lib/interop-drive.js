// Drives one request: asks the page's ports what the module's machine asks, and hands the answers back, until there is a
// response. It holds no rule. No port is called while the module is at work. Called by `interop-client.js` and
// `interop-router.js`.

import { givenMembers, givenNumber, givenText } from "./given.js";
import { freeze, parse } from "./intrinsics.js";
import { envelopeOf } from "./interop-envelope.js";
import { fromModule, refuseAnswer } from "./interop-errors.js";
import { isReply } from "./interop-http.js";
import { textOf, wireText } from "./interop-json.js";
import { enter, release } from "./interop-module.js";
import { placeNumber } from "./interop-rules.js";
import { hasSchema, judge } from "./interop-schemas.js";
import { deepFreeze } from "./json.js";
import { isThenable, quietly } from "./thenable.js";

/** What machines ask, as `question.rs` numbers it. */
const FAILED = 1;

const yes = ({ machine }, answer) => enter(() => machine.yes(answer === true));
const say = ({ machine }, text) => enter(() => machine.say(text));
/** One unit or byte past the bound is enough for the module to see it. */
const wire = (run, answer) => {
  const { machine } = run;
  if (!isReply(answer)) return say(run, wireText(answer, enter(() => machine.maxBytes()) + 1));
  try {
    return enter(() => machine.receive(answer));
  } finally {
    release(answer);
  }
};
const count = ({ machine }, number) => enter(() => machine.number(number));
const textFrom = (value, name) => givenText(value, name, refuseAnswer);
const question = ({ machine }) => enter(() => machine.question());
const parts = (run) => parse(question(run));
const textAbout = ({ machine }) => enter(() => machine.text());
const envelope = (run, take, text = textAbout(run)) => {
  const [before, behind] = enter(() => [run.machine.before(), run.machine.behind()]);
  return envelopeOf(text, before, behind, take);
};
/** A response is its caller's alone. */
const asItIs = (payload) => payload;
const options = (signal) => (signal === undefined ? {} : { signal });

const grantOf = (run) => freeze(parts(run));

/** The members of a stored record but its response. */
const RECORD = ["requestDigest", "reservationId", "reservedUntilLogicalMs"];

/** For handlers whose caller cannot give up. */
const signalOf = (run) => (run.signal ??= new AbortController().signal);

/** Tells the endpoint's own side what the caller of a request is not told. What that makes of it changes nothing. */
const report = ({ ports, request }, source, error) => quietly(() => ports.onError(error, freeze({ source, request })));

/** `put` asks a port, and may answer with a promise; `take` hands the answer to the machine, and answers with its next question. */
const STEPS = [
  undefined,
  undefined,
  { put: ({ ports, signal }) => ports.fetchManifest(options(signal)), take: wire },
  { put: (run) => hasSchema(run.ports.resolve, question(run)), take: yes },
  {
    put: (run) => {
      const { operation, sessionId } = parts(run);
      return run.ports.gate(operation, sessionId, run.ports.manifest);
    },
    // A gate says no by throwing.
    take: (run) => yes(run, true),
  },
  { put: (run) => run.ports.next(parts(run)), take: (run, number) => count(run, givenNumber(number, "the number that `next` gave", refuseAnswer)) },
  {
    put: (run) => judge(run.ports.resolve, parts(run), () => parse(textAbout(run))),
    take: (run, answer) => (typeof answer === "boolean" ? yes(run, answer) : enter(() => run.machine.validate(answer))),
  },
  {
    put: (run) => run.ports.authenticity.sign(question(run)),
    take: (run, token) => say(run, textFrom(token, "the signature that `sign` made")),
  },
  { put: (run) => run.ports.exchange(textAbout(run), options(run.signal)), take: wire },
  { put: (run) => run.ports.authenticity.verify(parts(run)), take: yes },
  {
    // Frozen through: what admission sees is what the handler gets.
    put: (run) => run.ports.admit((run.request = envelope(run, deepFreeze))),
    take(run, answer) {
      if (typeof answer === "boolean") return yes(run, answer);
      return say(run, answer === undefined ? "null" : textOf(answer));
    },
  },
  {
    put: (run) => run.ports.load(question(run)),
    take(run, record) {
      if (record === undefined || record === null) return say(run, undefined);
      const head = givenMembers(record, RECORD, refuseAnswer);
      const { response } = record;
      const committed = response === null ? "null" : textFrom(response, "the `response` of a record");
      return say(run, `${head.slice(0, -1)},"response":${committed}}`);
    },
  },
  { put: (run) => run.ports.advance(parts(run)), take: (run, place) => count(run, placeNumber(place)) },
  {
    put: (run) => run.ports.reserve((run.reservation = parts(run))),
    take(run, answer) {
      if (answer !== true) run.reservation = undefined;
      return yes(run, answer);
    },
  },
  {
    put(run) {
      const { request, ports } = run;
      return ports.handlers.get(request.operation)({ request, signal: signalOf(run), admissionGrant: grantOf(run) });
    },
    take({ machine }, outcome) {
      const { status, reasonCode, payload = null } = outcome ?? {};
      textFrom(status, "the handler's `status`");
      textFrom(reasonCode, "the handler's `reasonCode`");
      const text = textOf(payload);
      return enter(() => machine.outcome(status, reasonCode, text));
    },
  },
  { put: (run) => run.ports.revalidate({ request: run.request, admissionGrant: grantOf(run) }), take: yes },
  {
    put: (run) => {
      const response = textAbout(run);
      const { fault, ...about } = parts(run);
      if (fault !== undefined) report(run, "outcome", fromModule(fault));
      const commit = { ...about, response };
      run.committed = commit;
      return run.ports.commit(commit);
    },
    take(run, answer) {
      if (answer === true) run.reservation = undefined;
      else run.committed = undefined;
      return yes(run, answer);
    },
  },
];

/** Asks until the machine is done or has failed; answers with which of them. */
const advance = async (run) => {
  const { machine } = run;
  let ask = enter(() => machine.ask());
  while (ask > FAILED) {
    const step = STEPS[ask];
    let answer;
    let hasThrown = false;
    try {
      answer = step.put(run);
      if (isThenable(answer)) answer = await answer;
    } catch (error) {
      run.thrown = { error };
      hasThrown = true;
    }
    if (run.signal?.aborted) enter(() => machine.abort());
    if (hasThrown) {
      ask = enter(() => machine.fail());
      // It goes on: of what was thrown nobody else will hear.
      if (ask !== FAILED) report(run, "handler", run.thrown.error);
      continue;
    }
    try {
      ask = step.take(run, answer);
    } catch (error) {
      // It was no answer at all: the machine ends, and whoever waits for it hears why.
      run.thrown = { error };
      ask = enter(() => machine.abandon());
    }
  }
  return ask;
};

/**
 * Tells a store that wants to know that the run is over which it let begin, and that left no response. What comes of the
 * request stands, whatever the store makes of it.
 */
const leave = async (run) => {
  const { ports, reservation } = run;
  const { idempotencyKey, reservationId } = reservation;
  try {
    await ports.release?.(freeze({ idempotencyKey, reservationId }));
  } catch (error) {
    report(run, "release", error);
  }
};

/** `result(run)` is made of a machine that is done. */
const finish = async (machine, ports, signal, result) => {
  const run = { machine, ports, signal: signal ?? undefined };
  try {
    if ((await advance(run)) !== FAILED) return result(run);
    const text = question(run);
    const error = fromModule(text);
    // What a port threw passes as it is.
    if (error.code === "HOST" && run.thrown) throw run.thrown.error;
    throw error;
  } finally {
    release(machine);
    if (run.reservation !== undefined) await leave(run);
  }
};

/** The response at the end of a machine. */
export const drive = (machine, ports, signal) =>
  finish(machine, ports, signal, (run) => {
    const { committed } = run;
    return envelope(run, asItIs, committed && committed.responseDigest === question(run) ? committed.response : undefined);
  });

/** The text of the manifest at the end of a negotiation. */
export const negotiate = (machine, ports, signal) => finish(machine, ports, signal, textAbout);
