// The grid page: an agent, its environment behind a signed protocol, and what a person sees of both.

import { h, setText } from "/app/dom.js";
import { mountBoard, thoughtOf } from "./board.js";
import { mountControls, mountTamper } from "./controls.js";
import { examine, mountExchanges } from "./exchanges.js";
import { createMap } from "./map.js";
import { plan } from "./policy.js";
import { connect } from "./session.js";
import { createWire } from "./wire.js";

/** Between two steps of a run, so that a person can follow. */
const PACE_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 120;

const find = (id) => document.getElementById(id);
const state = { session: undefined, map: undefined, seen: undefined, kept: undefined, lastMove: undefined, cursor: "0", reward: 0, isBusy: true, isRunning: false };
const told = [];
const wire = createWire((record) => told.push(record));
const renderBoard = mountBoard(find("board"));
const addExchange = mountExchanges(find("exchanges"), find("verified"));
const renderControls = mountControls(find("controls"), { reset, step: () => perform(step), run, observe: () => perform(observe), keep: () => perform(keep), restore: () => perform(restore), close: () => perform(close) });
const renderTamper = mountTamper(find("tamper"), (name) => perform(() => tamper(name)));
let connection;
let exchanges = 0;

const planned = () => plan(state.map, state.seen);

function render() {
  const { session, seen, map, kept, lastMove, isBusy, isRunning } = state;
  const view = { isBusy, isRunning, isOpen: session !== undefined, isDone: seen?.isDone ?? false, isKept: kept !== undefined, lastMove };
  renderControls(view);
  renderTamper(view);
  if (!seen) return;
  renderBoard({ map, seen, planned: planned() });
  const share = Math.round((100 * map.seen) / (map.size * map.size));
  setText(find("tally"), `tick ${seen.tick} · ${seen.hasKey ? "has the key" : "no key"} · ${share}% seen · reward ${state.reward.toFixed(2)}`);
}

const say = (text) => setText(find("thought"), text);

/** Runs `act`, then shows what it sent, what of that holds, and what became of it. */
async function call(act) {
  let refusal;
  try {
    return await act();
  } catch (error) {
    refusal = error;
    throw error;
  } finally {
    for (const record of told.splice(0)) {
      exchanges += 1;
      addExchange({ ...record, refusal, checks: await examine(record, connection.keys) }, exchanges);
    }
  }
}

/** One thing at a time. What fails is said. */
async function perform(act) {
  if (state.isBusy) return;
  state.isBusy = true;
  render();
  try {
    await act();
  } catch (error) {
    say(`Not done: ${error.message}`);
    state.isRunning = false;
  } finally {
    state.isBusy = false;
    render();
  }
}

function take(observation) {
  state.seen = observation;
  state.map.see(observation);
  say(thoughtOf(planned(), observation));
}

function reset(input) {
  return perform(async () => {
    const session = state.session ?? connection.begin();
    const observation = await call(() => session.reset(input));
    Object.assign(state, { session, map: createMap(observation.world.size), kept: undefined, lastMove: undefined, cursor: observation.cursor, reward: 0 });
    take(observation);
  });
}

async function step() {
  const [next] = planned().path;
  if (!next) {
    state.isRunning = false;
    return;
  }
  accept(next.move, await call(() => state.session.act(next.move)));
}

function accept(move, observation) {
  state.lastMove = move;
  state.reward += observation.reward;
  take(observation);
}

async function run() {
  state.isRunning = !state.isRunning;
  render();
  while (state.isRunning && !state.seen.isDone) {
    await perform(step);
    if (PACE_MS > 0) await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  }
  state.isRunning = false;
  render();
}

/** What happened since the last look. */
async function observe() {
  const observation = await call(() => state.session.observe(state.cursor));
  const { cursor } = state;
  state.cursor = observation.cursor;
  take(observation);
  const events = observation.events.map(({ event }) => event);
  say(events.length === 0 ? `Nothing happened since tick ${cursor}.` : `Since tick ${cursor}: ${events.slice(-8).join(", ")}.`);
}

async function keep() {
  const snapshot = await call(() => state.session.snapshot());
  state.kept = { snapshot, map: state.map.copy(), reward: state.reward };
  say(`Kept: ${snapshot.actions.length} actions, state ${snapshot.stateDigest.slice(0, 19)}…`);
}

/** The agent forgets what it has seen since: its memory is part of what was kept. */
async function restore() {
  const { snapshot, map, reward } = state.kept;
  const session = state.session ?? connection.begin();
  const { cursor } = await call(() => session.restore(snapshot));
  Object.assign(state, { session, map: map.copy(), reward, cursor, lastMove: undefined });
  take(await call(() => session.observe(cursor)));
}

async function close() {
  await call(() => state.session.close());
  state.session = undefined;
  state.lastMove = undefined;
  say("Closed. What was kept can be restored in a new session.");
}

const turned = { north: "south", south: "north", east: "west", west: "east" };

async function tamper(name) {
  const { session, lastMove } = state;
  if (name === "retry") {
    await call(() => session.actAgain(lastMove));
    say("Sent again: the same answer, and no other step.");
    return;
  }
  const move = name === "reuse" ? turned[lastMove] : planned().path[0]?.move;
  if (move === undefined) return;
  if (name !== "reuse") wire.tamper(name);
  try {
    await call(() => (name === "reuse" ? session.actAgain(move) : session.act(move)));
  } catch (error) {
    say(`Refused, as it should be: ${error.message}.`);
    // The step was taken, only its answer did not come through: asking again gets that answer.
    if (name.startsWith("response")) {
      accept(move, await call(() => session.actAgain(move)));
      say(`Refused, as it should be: ${error.message}. Asked again, the environment gave the answer that it has.`);
    }
    return;
  }
  say("It was taken although it was tampered with.");
}

function showParties({ endpoint, agentId, manifest }) {
  const party = (label, text, title) => [h("dt", { text: label }), h("dd", { class: "mono", title: title ?? text, text })];
  find("parties").append(
    ...party("Agent", agentId),
    ...party("Environment", `${endpoint.baseUrl} (${manifest.endpointId})`),
    ...party("its key", `${endpoint.endpointKey}`),
    ...party("its manifest", manifest.manifestDigest),
  );
}

async function start() {
  render();
  try {
    connection = await connect(wire);
  } catch (error) {
    say(`The environment cannot be reached: ${error.message}`);
    throw error;
  }
  showParties(connection);
  state.isBusy = false;
  await reset({ seed: 7, size: 13 });
}

/** For tests: resolves when the first world is there. */
export const ready = start();
