// What `checkAdapter` checks: the eight duties of every adapter, and the eight lines of the checklist for custom ones. A
// line that repeats a duty checks the part of it that the duty's own check leaves.

import { AgentSurfaceError, jsonDeepEqual } from "#core";

const WRITE = "Appends one text";
const READ = "Tells what was written";
const ERASE = "Takes one text back";
const WIPE = "Empties the pad";
const PURGE = "Purges the archive";

const assert = (holds, problem) => {
  if (!holds) throw new Error(problem);
};

const print = (value) => JSON.stringify(value);
const briefly = (answer) => (answer?.status === "ok" ? `ok, ${print(answer.output)}` : print(answer?.error ?? answer));

const expectOk = (answer, what) => assert(answer?.status === "ok", `${what} was answered with ${briefly(answer)}`);
const expectCode = (answer, code, what) =>
  assert(answer?.status === "error" && answer.error?.code === code, `${what} was answered with ${briefly(answer)}, not ${code}`);

const pad = (world, more = {}) => world.register("probe.pad", { actions: { write: world.act(WRITE) }, ...more });

const actsAsItsConsumer = async (world) => {
  pad(world);
  const { peer } = await world.attach();
  await world.call(peer, await world.nameOf(peer, WRITE), { text: "a" }, "attempt-1");
  world.register("probe.more", { observations: { read: world.read(READ, 1) } });
  await world.shown(peer, [READ]);
  const callers = world.surface.auditLog.filter(({ type }) => type === "invocation-started").map(({ consumerId }) => consumerId);
  for (const key of [...world.seen, ...callers]) {
    assert(key === world.key, `the adapter was given the consumer \`${world.key}\` and acted as \`${key}\``);
  }
};

const followsTheSurface = async (world) => {
  const { peer } = await world.attach();
  const first = world.register("probe.pad", { actions: { write: world.act("The first words") } });
  await world.shown(peer, ["The first words"]);
  first.unregister();
  const input = { type: "object", properties: { count: { type: "integer" } }, additionalProperties: false };
  world.register("probe.pad", { actions: { write: world.act("The second words", { input }) } });
  const tools = await world.shown(peer, ["The second words"]);
  const { inputSchema } = tools.find((tool) => tool.description.includes("The second words"));
  assert(inputSchema === undefined || jsonDeepEqual(inputSchema, input), "the peer is shown an input schema of an earlier version");
};

const callsWithRegistration = async (world) => {
  pad(world);
  const { peer } = await world.attach();
  const name = await world.nameOf(peer, WRITE);
  world.tokens.length = 0;
  await world.call(peer, name, { text: "a" }, "attempt-1");
  assert(world.tokens.length > 0, "the call did not reach the registry");
  const [component] = world.surface.snapshot().components;
  for (const token of world.tokens) {
    assert(token === undefined || token.registrationId === component.registrationId, "the call carried no `registrationId` of the catalog");
  }
};

const anAttemptRunsOnce = async (world) => {
  pad(world);
  const { peer } = await world.attach();
  const name = await world.nameOf(peer, WRITE);
  const first = await world.call(peer, name, { text: "a" }, "attempt-1");
  expectOk(first, "a call");
  if (peer.attempts !== false) {
    expectOk(await world.call(peer, name, { text: "a" }, "attempt-1"), "the repeat of a call under the same attempt id");
    assert(world.count(WRITE) === 1, "the repeat of a call under the same attempt id ran a second time");
  }
  expectOk(await world.call(peer, name, { text: "a" }, "attempt-2"), "a second call with the same input");
  assert(world.count(WRITE) === 2, "a second call with the same input did not run: it got the id of the first one");
};

const REFUSAL = {
  code: "PRECONDITION_FAILED",
  message: "Open the pad before you write.",
  retry: "after-refresh",
  details: { reason: "closed", open: ["pad"] },
};

const answersAreWhole = async (world) => {
  const value = { lines: ["a", "ü"], none: null, count: 2 };
  const refuse = () => {
    throw new AgentSurfaceError(REFUSAL);
  };
  world.register("probe.pad", {
    observations: { read: world.read(READ, value) },
    actions: { write: world.act(WRITE, { does: refuse }), erase: world.act(ERASE) },
  });
  const { peer } = await world.attach();
  const read = await world.call(peer, await world.nameOf(peer, READ), {}, "attempt-1");
  assert(read?.status === "ok" && jsonDeepEqual(read.output, value), `the output ${print(value)} arrived as ${briefly(read)}`);
  const refused = await world.call(peer, await world.nameOf(peer, WRITE), { text: "a" }, "attempt-2");
  const { error } = refused ?? {};
  assert(refused?.status === "error" && error, `a refusal arrived as ${briefly(refused)}`);
  for (const field of ["code", "retry", "details", "message"]) {
    const same = field in error && jsonDeepEqual(error[field], REFUSAL[field]);
    assert(same, `the error's \`${field}\` ${print(REFUSAL[field])} arrived as ${print(error[field])}`);
  }
  const invalid = await world.call(peer, await world.nameOf(peer, ERASE), { text: 1 }, "attempt-3");
  expectCode(invalid, "INVALID_INPUT", "a call with a wrong input");
  assert(invalid.error.details?.issues?.length > 0, "the `issues` of a wrong input did not arrive");
};

/** What a model reads of a tool. */
const words = ({ name, title, description, annotations }) => print([name, title, description, annotations]);

const showsWhatThereIs = async (world) => {
  const wipe = world.act(WIPE, { confirmation: "required" });
  world.register("probe.pad", {
    observations: { read: world.read(READ, 1) },
    actions: { write: world.act(WRITE), wipe },
    procedures: [world.purge()],
  });
  const { peer } = await world.attach();
  const tools = await world.shown(peer, [READ, WRITE, WIPE, PURGE]);
  const labels = { [READ]: ["view", "read"], [WRITE]: ["view", "local-state"], [WIPE]: ["confirm"], [PURGE]: ["domain", "destructive", "confirm"] };
  for (const tool of tools) {
    const sentence = Object.keys(labels).find((each) => tool.description?.includes(each));
    assert(sentence, `the peer is shown \`${tool.name}\`, which is no capability of the surface`);
    for (const label of labels[sentence]) {
      assert(words(tool).includes(label), `what the peer is shown of \`${tool.name}\` does not say \`${label}\``);
    }
  }
};

const namesAreSafe = async (world) => {
  const long = `probe.${"very-long-".repeat(8)}pad`;
  const pair = (instanceId) => ({ instanceId });
  world.register(long, { actions: { write: world.act("Writes in the long one"), erase: world.act("Erases the long one") } });
  world.register("probe.pad", { actions: { write: world.act("Writes in the left one") } }, pair("left"));
  world.register("probe.pad", { actions: { write: world.act("Writes in the right one") } }, pair("right"));
  const { peer } = await world.attach();
  const tools = await world.shown(peer, ["Writes in the long one", "Erases the long one", "Writes in the left one", "Writes in the right one"]);
  const names = tools.map(({ name }) => name);
  for (const name of names) {
    assert(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `\`${name}\` is no name that every provider takes: 1 to 64 of a-z A-Z 0-9 _ -`);
  }
  assert(new Set(names).size === names.length, `two capabilities have one name: ${names.join(", ")}`);
};

/** How the adapter says that confirmations go. */
const modeOf = ({ topology, confirmations }) => confirmations ?? { embedded: "wait", remote: "two-phase" }[topology];

const confirmationsComplete = async (world) => {
  world.register("probe.pad", { actions: { wipe: world.act(WIPE, { input: { type: "object" }, confirmation: "required" }) } });
  const { peer } = await world.attach();
  const mode = modeOf(peer);
  assert(mode === "wait" || mode === "two-phase", "neither `topology` nor `confirmations` says who waits while a person decides");
  const name = await world.nameOf(peer, WIPE);
  const { confirmations } = world.surface;
  let final;
  if (mode === "wait") {
    const answer = world.begin(peer, name, {}, "attempt-1");
    await world.until(() => confirmations.pending(), ({ length }) => length === 1, () => "no person was asked");
    confirmations.approve();
    final = await world.within(answer, "a call that a person approved got no answer");
  } else {
    const first = await world.call(peer, name, {}, "attempt-1");
    expectCode(first, "CONFIRMATION_REQUIRED", "a call that needs a person");
    const [{ confirmationId }] = confirmations.pending();
    confirmations.approve(confirmationId);
    final = await world.call(peer, name, {}, "attempt-1", { confirmationId });
  }
  expectOk(final, "a call that a person approved");
  assert(world.count(WIPE) === 1, `what a person approved ran ${world.count(WIPE)} times`);
};

const isItsOwnConsumer = async (world) => {
  pad(world);
  world.register("hidden.pad", { actions: { write: world.act("Out of scope") } });
  const snapshotContext = { scope: ["probe"] };
  const { peer: one } = await world.attach({ snapshotContext });
  const { peer: two } = await world.attach({ number: 2, snapshotContext });
  for (const peer of [one, two]) {
    const tools = await world.shown(peer, [WRITE]);
    const outside = tools.find(({ description }) => description?.includes("Out of scope"));
    assert(!outside, "the peer is shown what lies outside the `scope` of its `snapshotContext`");
    await world.call(peer, await world.nameOf(peer, WRITE), { text: "a" }, "attempt-1");
  }
  assert(world.count(WRITE) === 2, "two adapters share the namespace of their attempt ids: the second one got the first one's answer");
};

const dropsWhatIsGone = async (world) => {
  pad(world);
  const more = world.register("probe.more", { actions: { write: world.act("Goes away") } });
  const { peer } = await world.attach();
  await world.shown(peer, [WRITE]);
  const name = await world.nameOf(peer, "Goes away");
  more.unregister();
  await world.until(
    () => world.listed(peer),
    (tools) => !tools.some(({ description }) => description?.includes("Goes away")),
    () => "the peer is still shown a capability that is gone",
  );
  const answer = await world.call(peer, name, { text: "a" }, "attempt-1");
  assert(answer?.status === "error", `a call of what is gone was answered with ${briefly(answer)}`);
};

const dangerousCallsCarryTheVersion = async (world) => {
  world.register("probe.pad", { procedures: [world.purge()] });
  const { peer } = await world.attach();
  const name = await world.nameOf(peer, PURGE);
  world.tokens.length = 0;
  world.begin(peer, name, {}, "attempt-1");
  await world.until(() => world.tokens, ({ length }) => length > 0, () => "the call did not reach the registry");
  for (const token of world.tokens) {
    const carries = token === undefined || token.surfaceVersion === world.registry.getVersion();
    assert(carries, "a destructive call carried no `surfaceVersion` of the catalog");
  }
};

const conflictsAreAnswers = async (world) => {
  pad(world);
  const { peer } = await world.attach();
  if (peer.attempts === false) return;
  const name = await world.nameOf(peer, WRITE);
  expectOk(await world.call(peer, name, { text: "a" }, "attempt-1"), "a call");
  const reused = await world.call(peer, name, { text: "b" }, "attempt-1");
  expectCode(reused, "INVOCATION_CONFLICT", "another request under the same attempt id");
  assert(world.count(WRITE) === 1, "another request under the same attempt id ran");
};

const disposeSettles = async (world) => {
  const never = () => new Promise(() => undefined);
  const wipe = world.act(WIPE, { input: { type: "object" }, confirmation: "required" });
  world.register("probe.pad", { actions: { write: world.act(WRITE, { does: never }), wipe } });
  const { peer } = await world.attach();
  const calls = [world.begin(peer, await world.nameOf(peer, WRITE), { text: "a" }, "attempt-1")];
  await world.until(() => world.ran, ({ length }) => length === 1, () => "the call did not run");
  if (modeOf(peer) === "wait") {
    calls.push(world.begin(peer, await world.nameOf(peer, WIPE), {}, "attempt-2"));
    await world.until(() => world.surface.confirmations.pending(), ({ length }) => length === 1, () => "no person was asked");
  }
  world.registry.dispose();
  for (const answer of await world.within(Promise.all(calls), "a call got no answer when the registry was disposed")) {
    assert(answer?.status === "error", `a call that the end of the registry cut off was answered with ${briefly(answer)}`);
  }
};

const namesFollowTheVersion = async (world) => {
  const first = pad(world);
  const { peer } = await world.attach();
  await world.shown(peer, [WRITE]);
  first.unregister();
  world.register("probe.pad", { actions: { write: world.act("Writes in the left one") } }, { instanceId: "left" });
  world.register("probe.pad", { actions: { write: world.act("Writes in the right one") } }, { instanceId: "right" });
  for (const [at, sentence] of ["Writes in the left one", "Writes in the right one"].entries()) {
    const name = await world.nameOf(peer, sentence);
    const answer = await world.call(peer, name, { text: "a" }, `attempt-${at}`);
    expectOk(answer, `a call of \`${name}\`, whose component is mounted anew,`);
    assert(world.ran.at(-1) === sentence, `a call of \`${name}\` (${sentence}) reached another capability`);
  }
};

const stopEndsEverything = async (world) => {
  pad(world);
  const { peer, start, detach } = await world.attach();
  await world.shown(peer, [WRITE]);
  await detach();
  await world.within(peer.adapter.stop(), "`stop()` did not end");
  world.seen.length = 0;
  world.register("probe.more", { observations: { read: world.read(READ, 1) } });
  for (let round = 0; round < 3; round++) await world.pause();
  assert(world.seen.length === 0, "after `stop()` the adapter still looked at the surface");
  const again = start();
  await world.shown(peer, [WRITE, READ]);
  await again();
  start();
  const tools = await world.shown(peer, [WRITE, READ]);
  const twice = [WRITE, READ].find((sentence) => tools.filter(({ description }) => description?.includes(sentence)).length > 1);
  assert(!twice, `after it was started anew the peer is shown \`${twice}\` more than once`);
  expectOk(await world.call(peer, await world.nameOf(peer, WRITE), { text: "a" }, "attempt-1"), "a call after it was started anew");
  assert(world.count(WRITE) === 1, `a call after it was started anew ran ${world.count(WRITE)} times`);
};

const showsWhatATestSees = async (world) => {
  for (let number = 1; number <= 12; number++) {
    const read = world.read(`Reads part ${number}.`, number);
    const write = world.act(`Writes part ${number}.`);
    world.register("probe.part", { observations: { read }, actions: { write } }, { instanceId: `part-${number}`, enabled: number < 12 });
  }
  const { peer } = await world.attach();
  const { components } = world.surface.snapshot();
  const all = components.flatMap(({ observations, actions }) => [...observations, ...actions]);
  const sentences = (available) => all.filter((each) => each.available === available).map(({ description }) => description);
  const tools = await world.shown(peer, sentences(true));
  const closed = sentences(false).find((sentence) => tools.some(({ description }) => description?.includes(sentence)));
  assert(!closed, `the peer may call \`${closed}\`, which a test sees as unavailable`);
};

export const DUTIES = [
  ["duty-1", "every snapshot and call carries the consumer that the adapter was given", actsAsItsConsumer],
  ["duty-2", "what is exported follows the surface, and no descriptor outlives its version", followsTheSurface],
  ["duty-3", "a call carries the `registrationId` of its catalog entry", callsWithRegistration],
  ["duty-4", "an attempt has one invocation id: its repeat runs nothing, a new attempt runs", anAttemptRunsOnce],
  ["duty-5", "results arrive whole: output, or code, retry, details and message", answersAreWhole],
  ["duty-6", "nothing is invented, and plane, effect and confirmation are said", showsWhatThereIs],
  ["duty-7", "names are wire-safe, and no two are equal", namesAreSafe],
  ["duty-8", "the confirmation topology is declared, and confirmations complete", confirmationsComplete],
  ["checklist-1", "each adapter instance acts as its own consumer, within its scope", isItsOwnConsumer],
  ["checklist-2", "what is gone is neither shown nor called", dropsWhatIsGone],
  ["checklist-3", "a dangerous call carries the `surfaceVersion` of its catalog", dangerousCallsCarryTheVersion],
  ["checklist-4", "`INVOCATION_CONFLICT` is an answer: nothing is retried under another id", conflictsAreAnswers],
  ["checklist-5", "`dispose` settles what runs and what waits", disposeSettles],
  ["checklist-6", "names are looked up in the present catalog", namesFollowTheVersion],
  ["checklist-7", "`stop()` ends everything, and the adapter starts again", stopEndsEverything],
  ["checklist-8", "the peer is shown what `createTestSurface` shows for the same consumer", showsWhatATestSees],
].map(([id, duty, check]) => ({ id, duty, check }));
