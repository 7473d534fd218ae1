// The page that the React tests drive, bundled for each version of React. `R` has React, the package and short ways to
// mount, to look and to wait.

import * as React from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import * as testUtils from "react-dom/test-utils";
import * as A from "agent-surface-wasm";
import * as S from "agent-surface-wasm/react";
import { App } from "./react-app.js";

const h = React.createElement;

const turn = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });

/** Turns until it holds; a test that waits for what never comes is ended by its harness. */
const until = async (holds) => {
  while (!holds()) await turn();
};

const act = (execute = () => undefined, more = {}) =>
  A.action({ description: "Do it", input: A.emptyObjectSchema, effect: "local-state", execute, ...more });

const read = (get, more = {}) => A.observation({ description: "Read it", output: A.fromJsonSchema({}), read: get, ...more });

const component = (more = {}) => ({ type: "demo", description: "A demo", ...more });

/** A registry that keeps what came and went in `log`. */
const registry = (options) => {
  const made = A.createAgentSurfaceRegistry({ environment: "test", ...options });
  const log = [];
  made.subscribe(({ type, registrationId }) => {
    if (type.startsWith("component-")) log.push(type.slice("component-".length));
    if (type === "component-registered") log.last = registrationId;
  });
  return Object.assign(made, { log });
};

const takeLog = ({ log }) => log.splice(0).join();

const names = (from) => from.snapshot().components.map(({ type, instanceId }) => `${type}@${instanceId}`);

const call = async (from, capabilityId, more = {}) => {
  const result = await from.invoke({ capabilityId, ...more });
  return result.status === "ok" ? result.output : result.error.code;
};

/** Renders at once below a provider of the registry. */
const mount = (on, element, { strict = false } = {}) => {
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  const wrap = (inner) => {
    const given = h(S.AgentSurfaceProvider, { registry: on }, inner);
    return strict ? h(React.StrictMode, null, given) : given;
  };
  const render = (inner) => flushSync(() => root.render(wrap(inner)));
  render(element);
  return {
    container,
    render,
    later: (inner) => root.render(wrap(inner)),
    unmount() {
      flushSync(() => root.unmount());
      container.remove();
    },
  };
};

/** A component around one definition. */
const Has = ({ definition, children = null }) => {
  S.useAgentComponent(definition);
  return children;
};

/** Suspends until `open()`; React is given the same promise each time. */
const gate = () => {
  const made = { isOpen: false };
  const promise = new Promise((resolve) => {
    made.open = () => {
      made.isOpen = true;
      resolve();
    };
  });
  made.Gate = ({ closed }) => {
    if (closed && !made.isOpen) throw promise;
    return null;
  };
  return made;
};

Object.assign(globalThis, {
  R: { A, App, Has, React, S, act, call, component, createRoot, flushSync, gate, h, hydrateRoot, mount, names, read, registry, takeLog, testUtils, turn, until },
});

await A.init();
document.documentElement.dataset.ready = "";
